// The rows of the inbox, column by column.
import { WORDS } from "./inbox_deciding.js"
import { LATE_WORDS, UNSIGNED, attr, button, checkCounts, dated, el, isLate, link, plural, titled, verdictBadge, waits, waitsNode } from "./shared.js"

const review = (one) => {
  const about = [one.model, one.failure, one.blockers && plural(one.blockers, "confirmed blocker")].filter(Boolean).join(" · ")
  const some = Object.values(one.counts).some(Boolean)
  const said = some ? checkCounts(one.counts) : el("span", "nothing muted", one.verdict ? "no findings" : "no answer")
  return titled(el("span", "pair", verdictBadge(one.verdict, one.words), said), about)
}

// A bundle may bring several recorded answers along: they stand one above the other.
const reviewCell = (reviews) => (reviews.length ? el("td", "review", ...reviews.map(review)) : el("td", "review muted", "—"))

// What became of a decision that the store has not got yet.
const stateNode = (s, { event, verdict, unsigned }) => {
  if (!unsigned) return waits(s, event) ? waitsNode() : isLate(s, event) ? el("span", "late", LATE_WORDS) : el("span", "by muted", "saving…")
  const node = titled(button("act", "decide", "Not saved"), `${UNSIGNED}: ${event.reason}`)
  node.dataset.verdict = verdict
  return node
}

export const decisionCell = (s, row, pending) => {
  if (pending) return el("td", "decision", verdictBadge(pending.verdict, WORDS[pending.verdict]), " ", stateNode(s, pending))
  const acts = el("span", "acts", decideButton("ready"), decideButton("not_ready"))
  if (!row.decision) return el("td", "decision", el("span", "stands muted", "—"), acts)
  const about = `${row.decided_by}, ${new Date(row.decided_at).toLocaleString()}`
  const by = titled(el("span", "by muted", el("span", "full", row.decided_by), el("span", "short", row.initials)), about)
  return el("td", "decision", el("span", "stands", verdictBadge(row.decision, row.decided), " ", by), acts)
}

export const decideButton = (verdict) => {
  const node = button("act", "decide", verdict === "ready" ? "Ready" : "Not ready", el("kbd", "", verdict === "ready" ? "1" : "2"))
  node.dataset.verdict = verdict
  return node
}

const pickBox = (row, picked) => {
  const box = el("input")
  Object.assign(box, { type: "checkbox", checked: picked, tabIndex: -1 })
  box.setAttribute("aria-label", `Select ${row.name}`)
  return box
}

const reviewerColumn = ({ name, short, rev }, at) => ({
  name: `reviewer rev-${rev}`, title: el("span", "", short), about: name,
  cell: (row) => (row.hidden ? el("td", "review muted", "hidden") : reviewCell(row.cells[at])),
})

const whatCell = (row) => {
  const attempt = row.attempt ? el("span", "attempt muted", row.attempt) : null
  const open = link("open", row.href, el("b", "", row.name))
  return attr(el("th", "what", el("span", "named", open, attempt), el("span", "subtitle", row.title)), { scope: "row" })
}

const ageCell = (s, row) =>
  el("td", "age muted", dated(row.age), s.data.contracts ? titled(el("div", "under", row.contract), row.contract) : null)

const AGE = "≈ marks a date guessed from a name or an archive; if the date is unknown, the import date is shown"

// From left to right. A column has a width in the style sheet, or a `width` in pixels: then narrow screens leave it out.
const columns = (s) => [
  { name: "pick", title: allBox(s), cell: (row) => el("td", "pick", pickBox(row, isPicked(s, row))) },
  { name: "what", title: "Submission", cell: whatCell },
  { name: "title", title: "About", cell: (row) => titled(el("td", "title", row.title), row.title) },
  ...s.data.reviewers.map(reviewerColumn),
  { name: "missed", title: "Missed", about: "Confirmed blockers that no LLM reviewer reported",
    cell: (row) => el("td", `missed ${row.missed ? "some" : "muted"}`, String(row.missed ?? "—")) },
  { name: "attention", title: "Why it needs you",
    cell: (row) => el("td", `attention ${row.hidden ? "muted" : ""}`, titled(el("span", "reason-why", row.attention), row.attention)) },
  { name: "decision", title: "Decision", cell: (row) => decisionCell(s, row, s.pending.get(row.id)) },
  s.data.contracts && { name: "contract", title: "Contract", cell: (row) => el("td", "contract muted", row.contract) },
  { name: "age", title: el("span", "", "Generated", s.data.contracts ? el("span", "under", ", contract") : null), about: AGE, cell: (row) => ageCell(s, row) },
].filter(Boolean)

const isPicked = (s, row) => s.every || s.picked.has(row.id)

const allBox = (s) => {
  const all = pickBox({ name: "all on this page" }, s.every || (s.data.rows.length > 0 && s.data.rows.every((row) => s.picked.has(row.id))))
  all.dataset.action = "page"
  return all
}

const headCell = ({ name, title, about, width }) => {
  const node = attr(el("th", name, title), { scope: "col" })
  if (about) node.title = about
  if (width) node.style.width = `${width}px`
  return node
}

const rowNode = (s, row, shown) => {
  const node = el("tr", row.decision ? "is-decided" : "", ...shown.map((column) => cellNode(column, column.cell(row))))
  node.classList.toggle("picked", isPicked(s, row))
  node.dataset.id = row.id
  return node
}

const cellNode = ({ width }, node) => {
  node.classList.toggle("optional", Boolean(width))
  return node
}

export const tableNode = (s) => {
  const shown = columns(s)
  const head = el("thead", "", el("tr", "", ...shown.map((column) => cellNode(column, headCell(column)))))
  const node = el("table", "", head, el("tbody", "", ...s.data.rows.map((row) => rowNode(s, row, shown))))
  node.style.setProperty("--optional", `${shown.reduce((sum, { width }) => sum + (width ?? 0), 0)}px`)
  return node
}
