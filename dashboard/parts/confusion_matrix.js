import { el, forget, instance, link } from "./shared.js"

const cellNode = (row, column) => (cell) => {
  const inside = [el("b", "count", cell.count), el("span", "share", cell.share), el("span", "words", cell.words)]
  const node = cell.href && cell.count !== "0" ? link("cell", cell.href, ...inside) : el("span", "cell", ...inside)
  if (node instanceof HTMLAnchorElement) node.title = `${row}, ${column}: open these submissions in the inbox`
  return el("td", `is-${cell.kind}${cell.count === "0" ? " is-none" : ""}`, node)
}

const scoped = (node, scope) => Object.assign(node, { scope })

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  const { title, columns, rows } = component.data
  const head = el("tr", "", el("td"), ...columns.map((column) => scoped(el("th", "", column), "col")))
  const body = rows.map((row) => el("tr", "", scoped(el("th", "", row.label), "row"), ...row.cells.map((cell, place) => cellNode(row.label, columns[place])(cell))))
  s.root.replaceChildren(el("table", "", el("caption", "", title), el("thead", "", head), el("tbody", "", ...body)))
  return forget(component)
}
