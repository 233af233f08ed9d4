// One row of the inbox.
import { WORDS } from "./inbox_deciding.js"
import { LATE_WORDS, UNSIGNED, button, checkCounts, dated, el, isLate, link, plural, titled, verdictBadge, waits, waitsNode } from "./shared.js"

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

export const rowNode = (s, row) => {
  const open = link("open", row.href, el("b", "", row.name))
  const attempt = row.attempt ? el("span", "attempt muted", row.attempt) : null
  const what = el("th", "what", el("span", "named", open, attempt), el("span", "subtitle", row.title))
  what.scope = "row"
  const cells = row.hidden ? s.data.reviewers.map(() => el("td", "review muted", "hidden")) : row.cells.map(reviewCell)
  const missed = el("td", `missed ${row.missed ? "some" : "muted"}`, String(row.missed ?? "—"))
  const picked = s.every || s.picked.has(row.id)
  const why = el("td", `attention ${row.hidden ? "muted" : ""}`, titled(el("span", "reason-why", row.attention), row.attention))
  const about = titled(el("td", "title", row.title), row.title)
  const node = el("tr", row.decision ? "is-decided" : "", el("td", "pick", pickBox(row, picked)), what, about, ...cells, missed, why,
                  decisionCell(s, row, s.pending.get(row.id)), s.data.contracts ? el("td", "contract muted", row.contract) : null,
                  el("td", "age muted", dated(row.age), s.data.contracts ? titled(el("div", "under", row.contract), row.contract) : null))
  node.classList.toggle("picked", picked)
  node.dataset.id = row.id
  return node
}

export const headNode = (s) => {
  const all = pickBox({ name: "all on this page" }, s.every || (s.data.rows.length > 0 && s.data.rows.every((row) => s.picked.has(row.id))))
  all.dataset.action = "page"
  const names = s.data.reviewers.map(({ name, short, rev }) => titled(el("th", `reviewer rev-${rev}`, el("span", "", short)), name))
  const missed = titled(el("th", "missed", "Missed"), "Confirmed blockers that no LLM reviewer reported")
  const titles = [el("th", "pick", all), el("th", "what", "Submission"), el("th", "title", "About"), ...names, missed, el("th", "attention", "Why it needs you"),
                  el("th", "decision", "Decision"), s.data.contracts ? el("th", "contract", "Contract") : null,
                  titled(el("th", "age", "Generated", s.data.contracts ? el("span", "under", ", contract") : null), "≈ marks a date guessed from a name or an archive; if the date is unknown, the import date is shown")]
  for (const title of titles.filter(Boolean)) title.scope = "col"
  return el("thead", "", el("tr", "", ...titles))
}
