import { CHECK_MARK, attr, button, el, focusedIn, inPanel, listen, mounted, reviewerSign, send, tell, titled } from "./shared.js"
import { heading } from "./table.js"

const cell = (data, { reviewer }) => {
  const mark = el("span", data.check ? `check ${data.check} said ${data.severity}` : "muted", data.check ? CHECK_MARK[data.check] : "–")
  const words = data.check ? `${reviewer}: ${data.check}, ${data.severity}: ${data.said}` : `${reviewer} ${data.said}`
  attr(mark, { role: "img", "aria-label": words })
  return el("td", "cell", titled(mark, words))
}

const rowNode = (s, row) => {
  const open = button("open", "show", el("span", "gist", row.title))
  open.append(el("span", "where mono", row.place || "no place found"), row.contradictory ? el("span", "odd", "checked both ways") : "")
  open.addEventListener("click", () => {
    if (!tell("show", { file: row.file, key: row.key })) send(s, { kind: "open", file: row.file, key: row.key })
    s.current = row.key
    mark(s)
  })
  const dot = attr(titled(el("span", "dot"), row.severity), { role: "img", "aria-label": row.severity })
  const node = el("tr", `row is-${row.state}`, el("td", row.severity, dot), heading("row", "what", open), ...row.cells.map((data, place) => cell(data, s.data.reviewers[place])))
  node.dataset.key = `${row.key} ${row.title}`  // a finding leads to its card from the row of each of its parts
  node.keys = row.keys
  return node
}

const mark = (s) => {
  for (const node of s.root.querySelectorAll(".row")) node.classList.toggle("current", node.keys.includes(s.current))
}

const reviewerHead = (one) => titled(heading("col", `name rev-${one.rev}`, el("span", "title", one.reviewer), reviewerSign(one)), one.reviewer)

const draw = (s) => {
  const rows = s.data.rows.filter((row) => !s.different || row.differs)
  const count = s.data.rows.filter((row) => row.differs).length
  const filter = attr(button("chip", "different", "Differences only ", el("span", "muted", String(count))), { "aria-pressed": String(s.different) })
  filter.addEventListener("click", () => {
    s.different = !s.different
    draw(s)
    s.root.querySelector(".chip").focus()
  })
  const head = el("tr", "", el("td"), el("td", "first", filter), ...s.data.reviewers.map(reviewerHead))
  const table = el("table", "", el("thead", "", head), el("tbody", "", ...rows.map((row) => rowNode(s, row))))
  const none = s.data.rows.length ? "The reviewers agree on every defect." : "No reviewer found anything."
  const more = s.data.left_out ? el("p", "muted", `${s.data.left_out} more are only in the list of findings.`) : null
  const focused = focusedIn(s)?.closest(".row")?.dataset.key
  s.root.replaceChildren(table, ...[rows.length ? null : el("p", "muted", none), more].filter(Boolean))
  mark(s)
  if (focused) [...s.root.querySelectorAll(".row")].find((node) => node.dataset.key === focused)?.querySelector(".open").focus({ preventScroll: true })
}

export default mounted((s) => {
  draw(s)
  if (!s.current) tell("which")
}, (made) => {
  made.different = false
  listen(made, document, "areachair:selected", (event) => {
    made.current = event.detail.key
    mark(made)
    const row = made.root.querySelector(".row.current")
    if (row) inPanel(row, made.root.querySelector("thead")?.offsetHeight)
  })
})
