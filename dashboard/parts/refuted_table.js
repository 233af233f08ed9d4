import { el, forget, instance, link } from "./shared.js"

const TITLES = ["Category", "", "Refuted", "95 %", "Findings", "Submissions"]

const scale = ([low, at, high]) => {
  const bar = el("span", "bar")
  const range = el("span", "range")
  bar.style.width = `${at * 100}%`
  range.style.left = `${low * 100}%`
  range.style.width = `${(high - low) * 100}%`
  const track = el("span", "track", bar, range)
  track.setAttribute("aria-hidden", "true")
  return track
}

const rowNode = (row) => {
  const open = link("open", row.href, row.title)
  open.setAttribute("aria-label", `${row.title}: open the ${row.submissions} submissions in the inbox`)
  const head = Object.assign(el("th", "", open), { scope: "row" })
  return el("tr", "", head, el("td", "plot", scale(row.plot)), el("td", "number strong", row.share), el("td", `range-words number${/too few$/.test(row.range) ? " few" : ""}`, row.range),
            el("td", "number", row.of), el("td", "number", row.submissions))
}

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  const head = el("tr", "", ...TITLES.map((title) => (title ? Object.assign(el("th", "", title), { scope: "col" }) : el("td"))))
  const table = el("table", `rev-${component.data.rev}`, el("caption", "", "Refuted findings by category"), el("thead", "", head), el("tbody", "", ...component.data.rows.map(rowNode)))
  s.root.replaceChildren(table)
  return forget(component)
}
