import { el, link, mounted } from "./shared.js"
import { heading, table } from "./table.js"

const cellNode = (row, column) => (cell) => {
  const inside = [el("b", "count", cell.count), el("span", "share", cell.share), el("span", "words", cell.words)]
  const node = cell.href && cell.count !== "0" ? link("cell", cell.href, ...inside) : el("span", "cell", ...inside)
  if (node instanceof HTMLAnchorElement) node.title = `${row}, ${column}: open these submissions in the inbox`
  return el("td", `is-${cell.kind}${cell.count === "0" ? " is-none" : ""}`, node)
}

export default mounted((s) => {
  const { title, columns, rows } = s.data
  const body = rows.map((row) => el("tr", "", heading("row", "", row.label), ...row.cells.map((cell, place) => cellNode(row.label, columns[place])(cell))))
  s.root.replaceChildren(table(title, [[""], ...columns.map((column) => [column])], body))
})
