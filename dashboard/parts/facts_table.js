import { el, link, mounted } from "./shared.js"
import { reviewerMark } from "./signs.js"
import { heading, table } from "./table.js"

const content = (cell) => {
  const text = cell.href ? link("", cell.href, cell.text) : cell.text
  return cell.mark ? [reviewerMark({ mark: cell.mark, reviewer: cell.text }), " ", text] : [text]
}

export default mounted((s) => {
  const { title, headings, rows, numbers } = s.data
  const kind = (place) => (numbers === null ? "wrap" : numbers.includes(place) ? "number" : "")
  const body = rows.map(([name, ...rest]) =>
    el("tr", "", heading("row", `name ${kind(0)}`, ...content(name)), ...rest.map((cell, place) => el("td", kind(place + 1), ...content(cell)))))
  s.root.classList.add("framed")
  s.root.classList.toggle("figures", numbers !== null)
  // One place to scroll, in both directions and by keys as well.
  if (numbers !== null) s.root.tabIndex = 0
  s.root.replaceChildren(table(title, headings.map((words, place) => [words, "", kind(place) === "number" ? "number" : ""]), body))
})
