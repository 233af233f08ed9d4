import { attr, el, link, mounted } from "./shared.js"
import { fewness, heading, scale, table } from "./table.js"

const rowNode = (row) => {
  const open = attr(link("open", row.href, row.title), { "aria-label": `${row.title}: open the ${row.submissions} submissions in the inbox` })
  return el("tr", "", heading("row", "", open), el("td", "plot", scale(row.plot)), el("td", "number strong", row.share),
            el("td", `range-words number${fewness(row.range)}`, row.range), el("td", "number", row.of), el("td", "number", row.submissions))
}

export default mounted((s) => {
  s.root.replaceChildren(table("Refuted findings by category", [["Category"], [""], ["Refuted"], ["95 %"], ["Findings"], ["Submissions"]], s.data.rows.map(rowNode)))
})
