import { el, forget, instance, link } from "./shared.js"

const content = (cell) => (cell.href ? link("", cell.href, cell.text) : cell.text)

const scoped = (node, scope) => {
  node.scope = scope
  return node
}

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  const { title, headings, rows, numbers } = component.data
  const kind = (place) => (numbers === null ? "wrap" : numbers.includes(place) ? "number" : "")
  const head = el("tr", "", ...headings.map((heading, place) => scoped(el("th", kind(place) === "number" ? "number" : "", heading), "col")))
  const body = rows.map(([name, ...rest]) =>
    el("tr", "", scoped(el("th", `name ${kind(0)}`, content(name)), "row"), ...rest.map((cell, place) => el("td", kind(place + 1), content(cell)))))
  const table = el("table", "", el("thead", "", head), el("tbody", "", ...body))
  table.setAttribute("aria-label", title)
  s.root.classList.toggle("figures", numbers !== null)
  // One place to scroll, in both directions and by keys as well.
  if (numbers !== null) s.root.tabIndex = 0
  s.root.replaceChildren(table)
  return forget(component)
}
