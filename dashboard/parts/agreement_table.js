import { attr, button, el, focusedIn, listen, mounted, plainKey, send, titled } from "./shared.js"
import { reviewerMark } from "./signs.js"
import { fewness, heading, scale, table } from "./table.js"

const cellNode = (cell) => {
  const value = el("span", `value${cell.text === "—" ? " muted" : ""}`, cell.text)
  const node = el("td", "", el("span", "pair", value, cell.plot && scale(cell.plot, cell.middle ? "has-middle" : "")), el("span", `note${fewness(cell.note)}`, cell.note))
  return cell.title ? titled(node, cell.title) : node
}

const rowNode = (row) => {
  const name = attr(button("name", "choose", row.title), { "aria-pressed": String(row.chosen) })
  name.dataset.name = row.name
  const mark = attr(reviewerMark({ mark: row.mark, reviewer: row.title }), { "aria-hidden": "true" })
  const head = heading("row", "", el("span", "who", mark, el("span", "named", name, el("span", "note", row.note))))
  return el("tr", row.chosen ? "is-chosen" : "", head, ...row.cells.map(cellNode))
}

const choose = (s, name) => {
  for (const node of s.root.querySelectorAll("tbody tr")) {
    const mine = node.querySelector(".name")
    mine.setAttribute("aria-pressed", String(mine.dataset.name === name))
    node.classList.toggle("is-chosen", mine.dataset.name === name)
  }
  send(s, { kind: "choose", name })
}

const start = (s) => {
  listen(s, s.root, "click", (event) => {
    const name = event.target.closest("tbody tr")?.querySelector(".name")
    if (name) choose(s, name.dataset.name)
  })
  listen(s, window, "keydown", (event) => {
    if (!plainKey(event) || !["j", "k"].includes(event.key)) return
    const names = [...s.root.querySelectorAll(".name")]
    const here = names.findIndex((name) => name.getAttribute("aria-pressed") === "true")
    const next = names[Math.max(0, Math.min(names.length - 1, here + (event.key === "j" ? 1 : -1)))]
    next?.focus()
    if (next && next !== names[here]) choose(s, next.dataset.name)
    event.preventDefault()
  })
}

export default mounted((s) => {
  const { columns, rows } = s.data
  const focused = focusedIn(s)?.dataset.name
  s.root.classList.toggle("by-findings", columns.length < 10)
  s.root.classList.add("framed")
  s.root.replaceChildren(table("Reliability of each reviewer", columns, rows.map(rowNode)))
  if (focused) [...s.root.querySelectorAll(".name")].find((node) => node.dataset.name === focused)?.focus({ preventScroll: true })
}, start)
