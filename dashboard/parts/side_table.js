// Rows are defects, columns reviewers. Only what is near to the eye is in the page: rows stand in chunks, and a chunk has its
// rows while it is in sight. Filters and the chosen row are in the address, and nothing moves under a person's hands.
import { dismissForm } from "./cards.js"
import { dismissalOf, fillForm } from "./reason_form.js"
import { LATE_WORDS, attr, button, el, focusedIn, heldText, isLate, isOpen, isRefused, listen, mounted, navigate, notSaved, plainKey, plural, send, spoken, tell, titled, waits, waitsNode, withFinding } from "./shared.js"
import { checkCounts, reviewerMark, signNode, verdictPill } from "./signs.js"

const CHUNK = 40
const ROW = 62  // pixels, as a guess for what was not drawn yet
const SHORT = 150  // characters that are always shown
const NARROW = "(max-width: 900px)"
const SAYS = { confirmed: "proved", unverified: "open", refuted: "contradicted by the code" }
const FILTERS = { all: "All", different: "Different only", one: "Only one saw it", contradicted: "Contradicted" }

const address = (s) => {
  const here = new URL(window.location.href)
  const put = (name, value) => (value ? here.searchParams.set(name, value) : here.searchParams.delete(name))
  put("only", s.only === "all" ? "" : s.only)
  put("by", s.by)
  put("finding", rowAt(s)?.finding)
  window.history.replaceState(window.history.state, "", here)
}

const keysOf = (row) => Object.values(row.cells).flatMap((told) => told.map(({ key }) => key))

const speakers = (row) => Object.keys(row.cells)
const spoke = (s) => s.data.reviewers.flatMap((one, at) => (one.spoke ? [at] : []))

// What the reviewers who spoke say of it, each in one word; silence is one, too.
const isDifferent = (s, row) => new Set(s.spoke.map((at) => row.cells[at]?.[0].check ?? "")).size > 1

const fits = (s, row, only = s.only, by = s.by) => {
  if (by && !row.cells[s.data.reviewers.findIndex((one) => one.reviewer === by)]) return false
  if (only === "different") return isDifferent(s, row)
  if (only === "one") return speakers(row).length === 1
  return only !== "contradicted" || Object.values(row.cells).some((told) => told.some((one) => one.check === "refuted"))
}

// Words in which names of the code stand in backticks.
const coded = (words) => words.split("`").map((text, at) => (at % 2 ? el("code", "mono", text) : text))

const RULED = { confirm: "confirmed by a person", dismiss: "dismissed by a person" }

const checkSign = ({ check, ruling }) => signNode(check, ruling ? RULED[ruling.word] : SAYS[check])

const rulingOf = (s, said) => {
  const mine = s.pending.get(said.key)
  return mine ? (mine.event.word === "withdrawn" ? null : { word: mine.event.word, author: "you", reason: mine.event.reason }) : said.ruling
}

const rulingNode = (s, said) => {
  const [ruling, mine] = [rulingOf(s, said), s.pending.get(said.key)]
  if (!ruling && !mine) return null
  const done = ruling ? { confirm: "Confirmed", dismiss: "Dismissed" }[ruling.word] : "Withdrawn"
  const state = !mine ? null : mine.unsigned ? notSaved() : waits(s, mine.event) ? waitsNode() : isLate(s, mine.event) ? LATE_WORDS : null
  return el("div", "ruling wrap", el("b", "", done), ruling ? ` by ${ruling.author}` : "", ruling?.reason ? `: ${ruling.reason}` : "", state && el("span", "state", " · ", state))
}

// Whose words stand for the defect is not said twice: what the code says to them stands there instead.
const saidNode = (s, row, said) => {
  const words = said.same ? said.evidence || "in these words" : said.words
  const long = words.length > SHORT
  const rated = said.severity === row.severity ? null : el("span", "muted rated", ` ${said.severity}`)
  const node = el("div", `said is-${said.check}${said.same ? " same" : ""}`, checkSign(said), el("span", `words wrap${long && !s.more.has(said.key) ? " short" : ""}`, ...coded(words), rated))
  node.dataset.key = said.key
  const below = el("div", "below", said.part_of && titled(el("span", "muted", "part of a longer claim"), said.part_of))
  if (long) {
    const more = attr(button("more", "more", s.more.has(said.key) ? "less" : "more"), { "aria-expanded": String(s.more.has(said.key)) })
    below.append(more)
  }
  const ruling = rulingNode(s, said)
  if (ruling) below.append(ruling)
  if (below.childNodes.length) node.append(below)
  return node
}

const cellNode = (s, row, at) => {
  const one = s.data.reviewers[at]
  const told = row.cells[at]
  const [missed, back] = [row.missed.includes(at), row.back.includes(at)]
  const silent = !one.spoke ? spoken("gave no answer") : back ? el("span", "missed", "took it back") : missed ? el("span", "missed", "missed it") : el("span", "silent muted", "—", spoken("did not say it"))
  const node = attr(el("td", `cell${told ? "" : missed || back ? " is-missed" : one.spoke ? " is-silent" : " is-silent is-mute"}`, el("span", "who", reviewerMark(one), el("b", "", one.reviewer)), ...(told ? told.map((said) => saidNode(s, row, said)) : [silent])), { role: "cell" })
  node.dataset.at = String(at)
  return node
}

const rowNode = (s, row) => {
  const open = attr(button("open", "look", el("span", "title", ...coded(row.title))), { "aria-label": `${row.severity}, ${row.state}: ${row.title}` })
  const voices = speakers(row)
  const where = el("div", "where", el("span", row.place ? "mono place" : "muted", row.place || "no place found"), el("span", "muted", voices.length === 1 ? "only " : `${voices.length} of ${s.spoke.length}`, voices.length === 1 ? reviewerMark(s.data.reviewers[voices[0]]) : null), row.odd ? el("span", "odd", "checked both ways") : null)
  const head = attr(el("th", "what", titled(signNode(row.severity, ""), row.severity), open, where), { scope: "row", role: "rowheader" })
  const node = attr(el("tr", `row is-${row.state}`, head, ...s.data.reviewers.map((_, at) => cellNode(s, row, at))), { role: "row" })
  node.dataset.id = row.id
  return node
}

const columnHead = (s, one, at) => {
  const mine = s.data.rows.filter((row) => row.cells[at])
  const alone = mine.filter((row) => speakers(row).length === 1).length
  const missed = s.data.rows.filter((row) => row.missed.includes(at)).length
  const name = attr(titled(button("by", "by", reviewerMark(one), el("b", "", one.reviewer)), `Only what ${one.reviewer} says`), { "aria-pressed": String(s.by === one.reviewer) })
  name.dataset.by = one.reviewer
  const sums = el("div", "sums muted", one.spoke ? `says ${mine.length}` : "", missed ? el("span", "missed", `misses ${missed}`) : null)
  if (alone && s.spoke.length > 1) {
    const only = titled(button("only", "by", "only ", reviewerMark(one), ` ${alone.toLocaleString()}`), `What only ${one.reviewer} says`)
    Object.assign(only.dataset, { by: one.reviewer, only: "one" })
    sums.insertBefore(only, sums.childNodes[1] ?? null)
  }
  const live = one.started ? el("span", "live muted", "asking…") : null
  const badge = one.words ? verdictPill(one.verdict, one.words) : live
  return attr(el("th", "by-reviewer", el("div", "top", name, badge), one.counts && checkCounts(one.counts), sums,
                 titled(el("div", "about muted", one.about), one.about), one.failure ? el("div", "failure wrap", one.failure) : null), { scope: "col", role: "columnheader" })
}

const rowAt = (s) => s.byId.get(s.at?.id)
const nodeAt = (s, id = s.at?.id) => [...s.root.querySelectorAll(".row")].find((node) => node.dataset.id === id)

// The finding that c and d speak of: the one of the chosen reviewer, the surest of it first.
const chosenSaid = (s) => rowAt(s)?.cells[s.at.column]?.[0]

const markChosen = (s) => {
  for (const node of s.root.querySelectorAll(".row")) {
    const current = node.dataset.id === s.at?.id
    node.classList.toggle("current", current)
    for (const cell of node.querySelectorAll(".cell")) cell.classList.toggle("chosen", current && Number(cell.dataset.at) === s.at.column)
  }
}

const fill = (s, chunk) => {
  if (!chunk.rows || chunk.filled) return
  chunk.filled = true
  chunk.body.replaceChildren(...chunk.rows.map((row) => rowNode(s, row)))
}

const empty = (s, chunk) => {
  if (!chunk.filled) return
  chunk.height = chunk.body.offsetHeight
  chunk.filled = false
  ghost(s, chunk)
}

const ghost = (s, chunk) => {
  const cell = el("td")
  cell.style.height = `${chunk.height}px`
  cell.colSpan = s.data.reviewers.length + 1
  chunk.body.replaceChildren(attr(el("tr", "ghost", cell), { "aria-hidden": "true" }))
}

const watch = (s) => {
  s.watcher?.disconnect()
  const root = s.narrow.matches ? null : s.wrap
  s.watcher = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      const chunk = s.chunks.find((one) => one.body === target)
      if (!chunk) continue
      if (isIntersecting) fill(s, chunk)
      else if (!chunk.rows.some((row) => row.id === s.form?.id)) empty(s, chunk)
    }
    markChosen(s)
    placeForm(s)
  }, { root, rootMargin: "900px 0px" })
  for (const chunk of s.chunks) s.watcher.observe(chunk.body)
}

const drawRows = (s) => {
  const [top, left] = [s.wrap.scrollTop, s.wrap.scrollLeft]
  const before = new Map(s.chunks.map((chunk) => [chunk.rows[0].id, chunk]))
  s.shown = s.data.rows.filter((row) => fits(s, row))
  s.chunks = []
  for (let from = 0; from < s.shown.length; from += CHUNK) {
    const rows = s.shown.slice(from, from + CHUNK)
    const known = before.get(rows[0].id)
    const chunk = { rows, body: attr(el("tbody"), { role: "rowgroup" }), filled: false, height: known?.height ?? rows.length * ROW }
    s.chunks.push(chunk)
    if (known?.filled || (from === 0 && !before.size)) fill(s, chunk)
    else ghost(s, chunk)
  }
  const head = el("thead", "", attr(el("tr", "", attr(el("th", "what", "Defect"), { scope: "col", role: "columnheader" }), ...s.data.reviewers.map((one, at) => columnHead(s, one, at))), { role: "row" }))
  const table = attr(el("table", "", el("colgroup", "", el("col", "first"), ...s.data.reviewers.map((one) => el("col", one.spoke ? "" : "mute"))), attr(head, { role: "rowgroup" }), ...s.chunks.map((chunk) => chunk.body)), { role: "table", "aria-rowcount": String(s.shown.length + 1), "aria-label": "Defects by reviewer" })
  table.style.setProperty("--columns", String(s.data.reviewers.length))
  s.wrap.replaceChildren(table)
  if (!s.shown.length) s.wrap.append(el("p", "nothing muted", s.data.rows.length ? "Nothing matches these filters." : "No reviewer found anything."))
  s.wrap.style.scrollPaddingTop = `${s.wrap.querySelector("thead").offsetHeight}px`
  Object.assign(s.wrap, { scrollTop: top, scrollLeft: left })
  watch(s)
}

const drawTools = (s) => {
  const segments = Object.entries(FILTERS).map(([only, words]) => {
    const count = s.data.rows.filter((row) => fits(s, row, only)).length
    const node = attr(button("segment", "only", words, " ", el("span", "count", count.toLocaleString())), { "aria-pressed": String(s.only === only) })
    node.dataset.only = only
    return node
  })
  const by = s.by ? attr(button("act", "unby", `says: ${s.by} `, signNode("close", "")), { "aria-label": `No longer only what ${s.by} says` }) : null
  const legend = el("span", "legend muted", ...Object.entries(SAYS).map(([check, words]) => el("span", "", signNode(check, ""), ` ${words}`)), el("span", "", "— said nothing"))
  s.tools.replaceChildren(attr(el("div", "segments", ...segments), { role: "group", "aria-label": "Which defects" }), ...[by, legend].filter(Boolean))
}

const drawFoot = (s) => {
  const hints = [["j", "k", "defect"], ["h", "l", "reviewer"], ["o", "look at the code"], ["Enter", "open it there"], ["c", "confirm"], ["d", "dismiss"]]
  const hidden = s.data.rows.length - s.shown.length
  s.foot.replaceChildren(el("span", "hints", ...hints.map((hint) => el("span", "", ...hint.slice(0, -1).map((key) => el("kbd", "", key)), ` ${hint.at(-1)}`))),
                         el("span", "", hidden ? `${plural(hidden, "defect")} hidden by these filters` : ""))
}

const drawLead = (s) => {
  const { agreement, because, rows } = s.data
  s.lead.replaceChildren(el("b", "", agreement), " ", el("span", "", ...coded(because)), el("span", "muted", ` ${rows.length.toLocaleString()} ${rows.length === 1 ? "defect" : "defects"}, ${plural(s.data.reviewers.length, "reviewer")}`))
}

const draw = (s) => {
  const focused = focusedIn(s)
  const was = focused && { row: focused.closest(".row")?.dataset.id, only: focused.dataset.only, by: focused.dataset.by }
  drawLead(s)
  drawTools(s)
  drawRows(s)
  drawFoot(s)
  markChosen(s)
  placeForm(s)
  if (!was || s.form) return
  const again = was.row ? nodeAt(s, was.row)?.querySelector(".open")
    : [...s.root.querySelectorAll("[data-only], [data-by]")].find((node) => node.dataset.only === was.only && node.dataset.by === was.by)
  again?.focus({ preventScroll: true })
}

const chosenAt = (row, column = row.lead) => ({ id: row.id, column, key: row.cells[column][0].key })

const choose = (s, id, column) => {
  const row = s.byId.get(id)
  if (!row) return
  s.at = chosenAt(row, column)
  const chunk = s.chunks.find((one) => one.rows.includes(row))
  if (chunk) fill(s, chunk)
  markChosen(s)
  const node = nodeAt(s)
  node?.scrollIntoView({ block: "nearest", inline: "nearest" })
  node?.querySelector(".chosen")?.scrollIntoView({ block: "nearest", inline: "nearest" })
  address(s)
  if (s.looking) look(s)
}

const step = (s, by) => {
  const place = s.shown.findIndex((row) => row.id === s.at?.id)
  const next = s.shown[place < 0 ? 0 : Math.max(0, Math.min(s.shown.length - 1, place + by))]
  if (next) choose(s, next.id)
}

const stepReviewer = (s, by) => {
  const row = rowAt(s)
  if (!row) return step(s, 1)
  const said = speakers(row).map(Number).sort((one, other) => one - other)
  const place = said.indexOf(s.at.column)
  choose(s, row.id, said[Math.max(0, Math.min(said.length - 1, place + by))])
}

const look = (s) => {
  const said = chosenSaid(s)
  if (!said) return
  s.looking = true
  tell("look", { key: said.key })
}

const openThere = (s) => {
  const said = chosenSaid(s)
  if (!said) return
  const to = new URL(s.data.submission, window.location.href)
  to.searchParams.set("file", said.file)
  to.searchParams.set("finding", said.key.slice(said.key.lastIndexOf("/") + 1))
  navigate(`submission${to.search}`)
}

// What a person says of a finding shows at once in every row in which it stands.
const redrawRowsOf = (s, key) => {
  for (const node of s.root.querySelectorAll(".row")) {
    const row = s.byId.get(node.dataset.id)
    if (row && keysOf(row).includes(key)) node.replaceWith(rowNode(s, row))
  }
  markChosen(s)
  placeForm(s)
}

const rule = (s, key, word, reason = "") => {
  const event = { kind: "rule", key, word, reason }
  s.pending.set(key, { event, unsigned: false })
  send(s, event, () => {
    s.pending.get(key).unsigned = true
    if (word === "dismiss") startDismissal(s, key, heldText(reason))
    else redrawRowsOf(s, key)
  })
  redrawRowsOf(s, key)
}

const press = (s, word) => {
  const said = chosenSaid(s)
  if (!said) return
  nodeAt(s)?.scrollIntoView({ block: "nearest", inline: "nearest" })
  const unsigned = s.pending.get(said.key)?.unsigned
  if (rulingOf(s, said)?.word === word && !unsigned) rule(s, said.key, "withdrawn")
  else if (word === "dismiss") startDismissal(s, said.key)
  else rule(s, said.key, word)
}

const startDismissal = (s, key, words = "") => {
  const form = dismissForm(s.data.reasons)
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    const said = dismissalOf(form)
    if (!said) return (form.querySelector(".note").textContent = "Say why in a few words, or choose a reason.")
    closeForm(s)
    rule(s, key, "dismiss", said)
  })
  form.querySelector("[data-action=cancel]").addEventListener("click", () => closeForm(s))
  const row = s.data.rows.find((one) => keysOf(one).includes(key))
  const cell = el("td", "", el("div", "card dismissing", form))
  cell.colSpan = s.data.reviewers.length + 1
  s.form = { id: rowAt(s)?.id ?? row?.id, node: el("tr", "asking", cell), form }
  placeForm(s)
  if (words) fillForm(form, words)
  else form.elements.words.focus({ preventScroll: true })
  s.form.node.scrollIntoView({ block: "nearest" })
}

const placeForm = (s) => {
  if (!s.form || s.form.node.previousSibling?.dataset?.id === s.form.id) return
  const typed = focusedIn(s)
  nodeAt(s, s.form.id)?.after(s.form.node)
  if (typed && s.form.node.contains(typed)) typed.focus({ preventScroll: true })
}

const closeForm = (s) => {
  s.form?.node.remove()
  s.form = null
  s.wrap.focus({ preventScroll: true })
}

const filter = (s, { only = s.only, by = s.by }) => {
  Object.assign(s, { only, by })
  closeForm(s)
  s.wrap.scrollTop = 0
  s.chunks = []
  draw(s)
  address(s)
}

const deeds = {
  only: (s, node) => filter(s, { only: node.dataset.only }),
  unby: (s) => filter(s, { by: "" }),
  by: (s, { dataset }) => filter(s, dataset.only ? { by: dataset.by, only: dataset.only } : { by: s.by === dataset.by ? "" : dataset.by }),
  more: (s, node) => {
    const { key } = node.closest(".said").dataset
    s.more[s.more.has(key) ? "delete" : "add"](key)
    redrawRowsOf(s, key)
  },
}

const onClick = (s, event) => {
  const act = event.target.closest("[data-action]")
  if (act && deeds[act.dataset.action]) return deeds[act.dataset.action](s, act)
  const row = event.target.closest(".row")
  // A click that ends a selection of text chooses nothing.
  if (!row || event.target.closest("form") || String(s.root.getRootNode().getSelection?.() ?? window.getSelection())) return
  const column = event.target.closest(".cell")?.dataset.at
  s.looking = true
  choose(s, row.dataset.id, column !== undefined && s.byId.get(row.dataset.id)?.cells[column] ? Number(column) : undefined)
}

const onEscape = (s) => {
  if (s.form) closeForm(s)
  else if (s.looking) {
    s.looking = false
    tell("look", null)
  } else navigate(withFinding(s.data.submission))
}

const KEYS = {
  j: (s) => step(s, 1), k: (s) => step(s, -1), h: (s) => stepReviewer(s, -1), l: (s) => stepReviewer(s, 1),
  o: look, c: (s) => press(s, "confirm"), d: (s) => press(s, "dismiss"), Escape: onEscape, Enter: openThere,
}

const onKey = (s, event) => {
  if (!KEYS[event.key] || !plainKey(event) || isRefused(s, event, "cd")) return
  // Enter on a button or a link is theirs.
  if (event.key === "Enter" && event.composedPath()[0].closest?.("a, button, summary, [role=button]")) return
  event.preventDefault()
  event.stopPropagation()
  KEYS[event.key](s)
}

// In the order in which they were drawn first, by the findings in them: a ruling changes what is proven and what is one defect,
// and takes no row away from under the hand. The chosen finding stays chosen.
const inOrder = (s) => {
  const place = new Map(s.data.rows.map((row, at) => [row.id, Math.min(...keysOf(row).map((key) => s.order.get(key) ?? s.order.size + at))]))
  s.data.rows.sort((one, other) => place.get(one.id) - place.get(other.id))
  s.order = new Map(s.data.rows.toReversed().flatMap((row, at) => keysOf(row).map((key) => [key, s.data.rows.length - at])))
  s.byId = new Map(s.data.rows.map((row) => [row.id, row]))
  if (!s.at || rowAt(s)) return
  const now = s.data.rows.find((row) => row.cells[s.at.column]?.some(({ key }) => key === s.at.key))
  s.at = now ? { ...s.at, id: now.id } : null
}

export default mounted((s) => {
  const drawn = JSON.stringify([s.data.rows, s.data.reviewers, s.data.because])
  const settled = [...s.pending].filter(([, { event, unsigned }]) => !unsigned && !isOpen(s, event))
  for (const [key] of settled) s.pending.delete(key)
  if (s.drawn === drawn && !settled.length) return
  const first = !s.drawn
  s.drawn = drawn
  inOrder(s)
  s.spoke = spoke(s)
  if (!s.data.reviewers.some((one) => one.reviewer === s.by)) s.by = ""
  draw(s)
  if (!first) return
  const named = s.data.rows.find((row) => row.finding === s.named) ?? s.data.rows.find((row) => keysOf(row).some((key) => key.endsWith(`/${s.named}`)))
  if (s.named && named && s.shown.includes(named)) choose(s, named.id)
  else if (s.shown.length) {
    s.at = chosenAt(s.shown[0])
    markChosen(s)
  }
}, (made) => {
  const asked = new URL(window.location.href).searchParams
  Object.assign(made, { pending: new Map(), more: new Set(), order: new Map(), chunks: [], looking: false, form: null, named: asked.get("finding"), by: asked.get("by") ?? "" })
  made.only = asked.get("only") && FILTERS[asked.get("only")] ? asked.get("only") : "all"
  made.restate = () => draw(made)
  made.near = (event) => (event?.key && [...made.root.querySelectorAll(".said")].find((node) => node.dataset.key === event.key)) || made.wrap
  made.lead = el("p", "lead")
  made.tools = el("div", "tools")
  made.wrap = attr(el("div", "scroller"), { tabindex: "0", role: "region", "aria-label": "Side by side" })
  made.foot = el("div", "foot muted")
  made.root.replaceChildren(made.lead, made.tools, made.wrap, made.foot)
  made.narrow = window.matchMedia(NARROW)
  listen(made, made.narrow, "change", () => watch(made))
  listen(made, made.root, "click", (event) => onClick(made, event))
  listen(made, window, "keydown", (event) => onKey(made, event), true)
  listen(made, document, "areachair:unlook", () => { made.looking = false })
  made.unlisten.push(() => made.watcher?.disconnect())
})
