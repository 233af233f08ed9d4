// The rows of the inbox, column by column.
import { WORDS } from "./inbox_deciding.js"
import { LATE_WORDS, attr, button, dated, el, isLate, link, notSaved, plural, spoken, titled, waits, waitsNode } from "./shared.js"
import { checkCounts, reviewerMark, signNode, verdictPill, verdictWords } from "./signs.js"

const aboutReview = (one) => [one.model, one.failure, one.blockers && plural(one.blockers, "confirmed blocker")].filter(Boolean).join(" · ")

const review = (one) => {
  const some = Object.values(one.counts).some(Boolean)
  const said = some ? checkCounts(one.counts) : el("span", "nothing muted", one.verdict ? "no findings" : "no answer")
  return titled(el("span", "pair", verdictWords(one.verdict, one.words), said), aboutReview(one))
}

// A bundle may bring several recorded answers along: they stand one above the other.
const reviewCell = (row, { id }) => {
  if (row.hidden) return el("td", "review muted", "hidden")
  const reviews = row.cells[id]
  return reviews.length ? el("td", "review", ...reviews.map(review)) : el("td", "review muted", "—")
}

// Those who reviewed few: each in words, since the column's title names none.
const othersCell = (row, { id, reviewers }) => {
  if (row.hidden) return el("td", "others muted", "hidden")
  const each = row.cells[id].map((one) => titled(el("span", "other", reviewerMark(reviewers[one.of]), " ", one.reviewer, " ", verdictWords(one.verdict, one.words)), `${one.reviewer}: ${one.words} ${aboutReview(one)}`))
  return el("td", `others ${each.length ? "" : "muted"}`, ...(each.length ? each : ["—"]))
}

/** @type {(columns: any[]) => any[]} */
export const sharing = (columns) => {
  const together = columns.filter(({ kind, chosen }) => (kind === "reviewer" || kind === "others") && !chosen)
  if (together.length < 2) return columns
  const about = "There is no room for a column each; who is chosen under Columns keeps one. The counts are in the titles."
  const one = { id: "shared", kind: "shared", title: "Reviewers", about, together, reviewers: [], width: 0 }
  return columns.flatMap((column) => (column === together[0] ? [one] : together.includes(column) ? [] : [column]))
}

// Where reviewers share a column each verdict is said once, before the marks of those who give it.
const sharedCell = (row, { together }) => {
  if (row.hidden) return el("td", "shared muted", "hidden")
  const groups = new Map()
  for (const { id, reviewers } of together) {
    for (const one of row.cells[id]) groups.set(one.words, [...(groups.get(one.words) ?? []), { ...one, ...reviewers[one.of] }])
  }
  const lines = [...groups.values()].map((each) => el("div", "same", verdictWords(each[0].verdict, each[0].words), el("span", "marks", ...each.map(sharedMark))))
  return el("td", `shared ${lines.length ? "" : "muted"}`, ...(lines.length ? lines : ["—"]))
}

const sharedMark = (one) => {
  const checks = Object.entries(one.counts).filter(([, count]) => count).map(([check, count]) => `${count} ${check}`)
  return titled(reviewerMark(one), [`${one.reviewer}: ${one.words}`, ...checks, aboutReview(one)].filter(Boolean).join(" · "))
}

// What became of a decision that the store has not got yet.
const stateNode = (s, { event, verdict, unsigned }) => {
  if (!unsigned) return waits(s, event) ? waitsNode() : isLate(s, event) ? el("span", "late", LATE_WORDS) : el("span", "by muted", "saving…")
  const node = titled(button("act", "decide", "Not saved"), `${notSaved()}: ${event.reason}`)
  node.dataset.verdict = verdict
  return node
}

const assigneeNode = ({ initials, name, word, about, mine }) =>
  titled(el("span", `assignee ${mine ? "mine" : ""}`, el("span", "initials", mine ? "you" : initials || name), ` ${word}`), about)

export const decisionCell = (s, row, pending) => {
  if (pending) return el("td", "decision", verdictPill(pending.verdict, WORDS[pending.verdict]), " ", stateNode(s, pending))
  const acts = el("span", "acts", decideButton("ready"), decideButton("not_ready"), claimButton(row))
  const standing = row.assignee ? assigneeNode(row.assignee) : "—"
  if (!row.decision) return el("td", "decision", el("span", `stands ${row.assignee ? "" : "muted"}`, standing), acts)
  const about = `${row.decided_by}, ${new Date(row.decided_at).toLocaleString()}`
  const by = titled(el("span", "by muted", el("span", "full", row.decided_by), el("span", "short", row.initials)), about)
  return el("td", "decision", el("span", "stands", verdictPill(row.decision, row.decided), " ", by), acts)
}

export const decideButton = (verdict) => {
  const node = button("act", "decide", verdict === "ready" ? "Ready" : "Not ready", el("kbd", "", verdict === "ready" ? "1" : "2"))
  node.dataset.verdict = verdict
  return node
}

const claimButton = ({ assignee }) =>
  titled(button("act", "claim", assignee?.mine ? "Release" : "Claim", el("kbd", "", "m")), assignee?.mine ? "You look after it; let go of it" : "Say that you look after it")

const pickBox = (row, picked) => {
  const box = el("input")
  Object.assign(box, { type: "checkbox", checked: picked, tabIndex: -1 })
  box.setAttribute("aria-label", `Select ${row.name}`)
  return box
}

/** @type {(text: string, marks: number[][], from: number) => Child[]} */
const markedParts = (text, marks, from) => {
  const parts = []
  let at = 0
  for (const [start, end] of marks.map(([first, last]) => [Math.max(0, first - from), Math.min(text.length, last - from)])) {
    if (end <= at || start >= text.length) continue
    parts.push(text.slice(at, Math.max(at, start)), el("mark", "", text.slice(Math.max(at, start), end)))
    at = end
  }
  return [...parts, text.slice(at)]
}

// The end of a name tells attempts apart, so a name is cut before it.
const KEPT_AT_THE_END = 9
const nameNode = ({ name, marks }) => {
  const cut = Math.max(0, name.length - KEPT_AT_THE_END)
  const head = el("span", "name-head", ...markedParts(name.slice(0, cut), marks, 0))
  const tail = el("span", "name-tail", ...markedParts(name.slice(cut), marks, cut))
  return titled(el("b", "", ...(cut ? [head] : []), tail), name)
}

const attemptWords = (s, row) => {
  // Below its lineage the number alone tells an attempt.
  if (row.of) return row.attempt?.replace(/ of .*/, "")
  if (!s.data.lineages || !row.first) return row.attempt
  if (row.matching === 1) return row.attempt
  return `latest of ${row.matching}${s.data.searched ? " that match" : ""}`
}

// Where there is little room the numbers say it alone.
const attemptNode = (words) => {
  const [, noun, numbers] = /^(attempt )?(.*)$/.exec(words) ?? []
  return titled(el("span", "attempt muted", noun && el("span", numbers.includes(" of ") ? "noun" : "", noun), numbers), words)
}

// Which attempts there are more of, below the last one that is shown.
const moreAttempts = (row) => (row.left > 0 ? link("more", row.all_of_it, `${row.left} more in the list of attempts`) : null)

const foldNode = (row) => {
  const node = attr(button("fold", "fold", signNode("fold", "")), { "aria-expanded": String(row.is_open), "aria-label": `${row.is_open ? "Hide" : "Show"} the other attempts of ${row.name}` })
  node.tabIndex = -1
  return node
}

const placeNode = ({ where, about, parts, more }) => {
  const text = el("span", "snippet", ...parts.map(([words, marked]) => (marked ? el("mark", "", words) : words)))
  return el("span", "place", titled(el("span", "where", where), about), " ", text, more ? el("span", "places muted", plural(more + 1, "place")) : null)
}

const whatCell = (row, s) => {
  const words = attemptWords(s, row)
  // Its halves would be read as two words.
  const open = attr(link("open", row.href, nameNode(row)), { "aria-label": row.name })
  const fold = s.data.lineages && !row.of ? (row.matching > 1 ? foldNode(row) : el("span", "fold")) : null
  const below = row.place?.parts.length ? placeNode(row.place) : el("span", "subtitle", row.title)
  const named = el("span", "named", open, words ? attemptNode(words) : null)
  return attr(el("th", "what", fold, el("span", "told", named, below, moreAttempts(row))), { scope: "row" })
}

const WIDE = 64
const HIGH = 22
// Steps, since a blocker is there or is not; words for who cannot see them.
const curveNode = (curve) => {
  const most = Math.max(1, ...curve.map(([, count]) => count))
  const x = (place) => 2 + (place * (WIDE - 6)) / Math.max(1, curve.length - 1)
  const y = (count) => HIGH - 3 - (count * (HIGH - 6)) / most
  const path = curve.map(([, count], place) => (place ? `H${x(place).toFixed(1)}V${y(count).toFixed(1)}` : `M${x(0)} ${y(count).toFixed(1)}`)).join("")
  const svg = (tag, attributes) => Object.entries(attributes).reduce((node, [name, value]) => (node.setAttribute(name, String(value)), node), document.createElementNS("http://www.w3.org/2000/svg", tag))
  const node = svg("svg", { class: "curve", width: WIDE, height: HIGH, viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" })
  const last = curve.at(-1)?.[1] ?? 0
  node.append(svg("path", { d: `M2 ${HIGH - 3}H${WIDE - 4}`, class: "floor" }), svg("path", { d: path, class: "line" }))
  node.append(svg("circle", { cx: x(curve.length - 1), cy: y(last), r: 2.6, class: last ? "some" : "none" }))
  return node
}

const blockersCell = (row) => {
  if (row.blockers === null) return el("td", "blockers muted", "—")
  const curve = row.curve.length > 1 ? row.curve : null
  const words = curve ? `Blockers of attempts ${curve.map(([number, count]) => `${number}: ${count}`).join(", ")}` : `${plural(row.blockers, "confirmed blocker")}`
  return titled(el("td", "blockers", curve && el("span", "drawn", curveNode(curve)), el("span", "amount", String(row.blockers)), spoken(words)), words)
}

// How a cell of each kind is made; Python says which columns there are (inbox_columns.py).
const CELLS = {
  text: (row, { id }) => titled(el("td", "text muted", row.texts[id] ?? "hidden"), row.texts[id] ?? ""),
  title: (row) => titled(el("td", "title", row.title), row.title),
  blockers: blockersCell,
  reviewer: reviewCell,
  others: othersCell,
  shared: sharedCell,
  missed: (row) => el("td", `missed ${row.missed ? "some" : "muted"}`, String(row.missed ?? "—")),
  attention: (row) => el("td", `attention ${row.hidden ? "muted" : ""}`, titled(el("span", "reason-why", row.attention), row.attention)),
  decision: (row, _, s) => decisionCell(s, row, s.pending.get(row.id)),
  contract: (row) => titled(el("td", "contract muted", row.contract), row.contract),
  age: (row) => el("td", "age muted", dated(row.age), titled(el("div", "under", row.contract), row.contract)),
}

const isPicked = (s, row) => s.every || s.picked.has(row.id)

const allBox = (s) => {
  const all = pickBox({ name: "all on this page" }, s.every || (s.data.rows.length > 0 && s.data.rows.every((row) => s.picked.has(row.id))))
  all.dataset.action = "page"
  return all
}

const headCell = ({ kind, title, about, reviewers, width }) => {
  const mark = kind === "reviewer" ? reviewerMark(reviewers[0]) : null
  const node = attr(el("th", kind, mark, mark && " ", title), { scope: "col" })
  if (width) node.style.width = `${width}px`
  return about ? titled(node, about) : node
}

const rowNode = (s, row) => {
  const cells = s.columns.map((column) => {
    const node = CELLS[column.kind](row, column, s)
    // A card says what each of its cells is.
    node.dataset.title = column.kind === "reviewer" ? `${column.reviewers[0].mark}\u2002${column.title}` : column.title
    node.classList.toggle("chosen", column.chosen)
    return node
  })
  const node = el("tr", "", el("td", "pick", pickBox(row, isPicked(s, row))), whatCell(row, s), ...cells)
  node.classList.toggle("is-decided", Boolean(row.decision))
  node.classList.toggle("earlier", Boolean(row.of))
  node.classList.toggle("picked", isPicked(s, row))
  node.dataset.id = row.id
  return node
}

export const tableNode = (s, rows = s.data.rows) => {
  const first = [attr(el("th", "pick", allBox(s)), { scope: "col" }), attr(el("th", "what", s.data.lineages ? "Lineage" : "Submission"), { scope: "col" })]
  const heads = s.columns.map((column) => {
    const node = headCell(column)
    node.classList.toggle("chosen", column.chosen)
    return node
  })
  return el("table", "", el("thead", "", el("tr", "", ...first, ...heads)), el("tbody", "", ...rows.map((row) => rowNode(s, row))))
}
