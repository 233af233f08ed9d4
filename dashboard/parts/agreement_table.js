// A value with its interval on a scale from 0 to 1; the words beside it say the same.
import { button, el, focusedIn, forget, instance, listen, plainKey, reviewerSign, send, titled } from "./shared.js"

const scale = ([low, at, high], middle) => {
  const range = el("span", "range")
  const dot = el("span", "at")
  range.style.left = `${low * 100}%`
  range.style.width = `${Math.max(0, high - low) * 100}%`
  dot.style.left = `${at * 100}%`
  const track = el("span", `track${middle ? " has-middle" : ""}`, range, dot)
  track.setAttribute("aria-hidden", "true")
  return track
}

const cellNode = (cell) => {
  const value = el("span", `value${cell.text === "—" ? " muted" : ""}`, cell.text)
  const node = el("td", "", el("span", "pair", value, cell.plot ? scale(cell.plot, cell.middle) : null), el("span", `note${/too few$/.test(cell.note) ? " few" : ""}`, cell.note))
  return cell.title ? titled(node, cell.title) : node
}

const rowNode = (row) => {
  const name = button("name", "choose", row.title)
  name.setAttribute("aria-pressed", String(row.chosen))
  name.dataset.name = row.name
  const sign = reviewerSign({ rev: row.rev, sign: row.sign, reviewer: row.title })
  sign.setAttribute("aria-hidden", "true")
  const head = el("th", "", el("span", "who", sign, el("span", "named", name, el("span", "note", row.note))))
  head.scope = "row"
  return el("tr", `rev-${row.rev}${row.chosen ? " is-chosen" : ""}`, head, ...row.cells.map(cellNode))
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

export default function (component) {
  if (!component.data) return
  const s = instance(component, start)
  const { columns, rows } = component.data
  const head = columns.map(([title, hint]) => Object.assign(titled(el("th", "", title), hint), { scope: "col" }))
  const focused = focusedIn(s)?.dataset.name
  const table = el("table", "", el("caption", "", "Reliability of each reviewer"), el("thead", "", el("tr", "", ...head)), el("tbody", "", ...rows.map((row) => rowNode(row))))
  s.root.classList.toggle("by-findings", columns.length < 10)
  s.root.replaceChildren(table)
  if (focused) [...s.root.querySelectorAll(".name")].find((node) => node.dataset.name === focused)?.focus({ preventScroll: true })
  return forget(component)
}
