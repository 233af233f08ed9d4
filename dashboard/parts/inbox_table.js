const review = (data) => {
  const about = [data.model, data.failure, data.blockers && plural(data.blockers, "confirmed blocker")].filter(Boolean).join(" · ")
  return titled(el("span", "pair", verdictBadge(data.verdict, data.words), checkCounts(data.counts)), about)
}

// A bundle may bring several recorded answers along: they stand one above the other.
const cell = (reviews) => (reviews.length ? el("td", "review", ...reviews.map(review)) : el("td", "review muted", "—"))

const decision = (row) => {
  if (!row.decision) return el("td", "decision muted", "—")
  const by = titled(el("span", "by muted", row.decided_by), `${row.decided_by}, ${new Date(row.decided_at).toLocaleString()}`)
  return el("td", "decision", verdictBadge(row.decision, row.decided), " ", by)
}

const rowNode = (row) => {
  const open = link("open", row.href, el("b", "", row.name))
  const attempt = row.attempt === null ? null : el("span", "attempt muted", `attempt ${row.attempt}`)
  const missed = el("td", `missed ${row.missed ? "some" : "muted"}`, String(row.missed ?? "—"))
  const what = el("td", "what", el("span", "named", open, attempt), el("span", "subtitle", row.title))
  return el("tr", row.decision ? "is-decided" : "", what, titled(el("td", "title", row.title), row.title), ...row.cells.map(cell), missed,
            el("td", "attention", row.attention), decision(row), el("td", "age muted", when(row.imported)))
}

const move = (s, by) => {
  const rows = [...s.root.querySelectorAll("tbody tr")]
  s.at = Math.max(0, Math.min(rows.length - 1, (s.at ?? -1) + by))
  rows[s.at]?.querySelector("a").focus()
  rows[s.at]?.scrollIntoView({ block: "nearest" })
}

const start = (s) => {
  // The whole row leads where its name does; the name itself is a true link for the middle button and the keyboard.
  listen(s, s.root, "click", (event) => event.target.closest("a") ?? event.target.closest("tbody tr")?.querySelector("a").click())
  listen(s, window, "keydown", (event) => {
    if (!plainKey(event)) return
    if (event.key === "j" || event.key === "k") move(s, event.key === "j" ? 1 : -1)
    else if (event.key === "/") document.querySelector(".st-key-inbox-search input")?.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }, true)
}

export default function (component) {
  if (!component.data) return
  const s = instance(component, start)
  const titles = ["Submission", "", ...component.data.reviewers, "Missed", "Why it needs you", "Decision", "Imported"]
  const head = el("tr", "", ...titles.map((title) => titled(el("th", "", title), title)))
  head.children[2 + component.data.reviewers.length].title = "Confirmed blockers that no LLM reviewer's claim names"
  s.root.classList.toggle("many", component.data.reviewers.length > 5)
  s.root.replaceChildren(el("table", "", el("thead", "", head), el("tbody", "", ...component.data.rows.map(rowNode))))
  s.at = undefined
  return forget(component)
}
