// The list by weight or by file; the keys of the code view go through it in its order. Chips filter in the browser; a click asks
// the code view first, and Python only where another file is to be opened.
import { FATES, fateWords } from "./finding_fates.js"
import { orderNow } from "./list_order.js"
import { cutName, prose } from "./prose.js"
import { attr, button, el, focusedIn, inPanel, listen, mounted, plural, send, spoken, tell, titled } from "./shared.js"
import { reviewerMark, signNode } from "./signs.js"

const FACETS = { severity: ["blocker", "major", "minor"], check: ["confirmed", "unverified", "refuted"] }
const READINGS = { two: "read in two ways", unread: "not read", partly: "partly" }
const MOST = 400
const MOST_LINES = 4

// What is gone since an earlier attempt is listed only where it is asked for, and what is refuted was no defect then or now.
const fateFits = (s, card, without) => without === "fate" ? card.check !== "refuted" || card.kind === "gone" : card.kind === "gone" ? s.chosen.fate === card.fate : !s.chosen.fate || (s.chosen.fate === card.fate && card.check !== "refuted")

const fits = (s, card, without) => fateFits(s, card, without) && [...Object.keys(FACETS), "reviewer", "reading"].every((facet) => facet === without || !s.chosen[facet] || card[facet] === s.chosen[facet])

const chip = (s, facet, value, ...label) => {
  const count = s.data.cards.filter((card) => card[facet] === value && fits(s, card, facet)).length
  const node = button(`chip ${FACETS[facet] ? value : ""}${count ? "" : " none"}`, "filter", ...label, " ", el("span", "muted", String(count)))
  node.setAttribute("aria-pressed", String(s.chosen[facet] === value))
  node.title = value
  node.addEventListener("click", () => {
    s.chosen[facet] = s.chosen[facet] === value ? null : value
    draw(s)
    s.chips.querySelector(`[data-value="${CSS.escape(value)}"]`)?.focus()
  })
  node.dataset.value = value
  return node
}

const fateChip = (s, fate, words) => {
  const node = chip(s, "fate", fate, FATES[fate])
  titled(node, words).append(spoken(words))
  return node
}

const show = (s, card) => {
  if (!tell("show", { file: card.file, key: card.key })) send(s, { kind: "open", file: card.file, key: card.key })
  current(s, card.key, false)
}

// Who says it, each with its sign and what the code says to that; a click goes to that reviewer's own card.
const voice = (s, cards) => {
  const checks = [...new Set(cards.map((card) => card.check))]
  const node = button("voice", "voice", reviewerMark(cards[0]), ...checks.map((check) => signNode(check, "")))
  const words = cards.map((card) => `${card.reviewer}: ${card.severity}, ${card.check}${card.place ? `, ${card.place}` : ""}`).join("\n")
  titled(node, words).append(spoken(words))
  node.addEventListener("click", () => show(s, cards[0]))
  return node
}

// As bad as the worst that is said of it and not refuted; the first card may be a rule's mild word for it.
const worst = (cards) => {
  const open = cards.filter((card) => card.check !== "refuted")
  return FACETS.severity.find((severity) => (open.length ? open : cards).some((card) => card.severity === severity)) ?? ""
}

// Its lines; by weight the file's name before them.
const placeOf = (s, card, cards) => {
  const lines = [...new Set(cards.filter((one) => one.reviewer === card.reviewer && one.line).map((one) => one.end > one.line ? `${one.line}–${one.end}` : String(one.line)))]
  const at = lines.slice(0, MOST_LINES).join(", ") + (lines.length > MOST_LINES ? ", …" : "")
  if (orderNow() === "file") return at && el("span", "mono", at)
  if (card.file.startsWith("//")) return el("span", "", "no place")
  const name = (s.data.files[card.file] ?? card.file).split("/").at(-1)
  return titled(cutName("mono", at ? `${name}:${at}` : name), card.place || (s.data.files[card.file] ?? card.file))
}

const item = (s, cards) => {
  const card = cards.find((one) => !one.lead) ?? cards[0]
  const severity = worst(cards)
  const open = attr(button("open", "show", signNode(severity), el("span", "gist", ...prose(card.gist))), { "aria-label": `${severity}, ${card.check}: ${card.gist}` })
  open.addEventListener("click", () => show(s, card))
  const where = el("span", "where", placeOf(s, card, cards))
  const voices = [...new Set(cards.map((one) => one.reviewer))]
  where.append(...voices.map((name) => voice(s, cards.filter((one) => one.reviewer === name))))
  if (card.fate && card.fate !== "unchanged") where.append(fateWords(card))
  if (card.ruled) where.append(el("span", "", card.ruled))
  const said = cards.reduce((sum, one) => sum + one.comments, 0)
  if (said) where.append(el("span", "", plural(said, "comment")))
  if (card.missed_by.length) where.append(el("span", "missed", `missed by ${card.missed_by.join(", ")}`))
  const node = el("div", `item ${severity} is-${cards.every((one) => one.check === "refuted") ? "refuted" : card.check}`, open, where)
  node.keys = cards.map((one) => one.key)
  return node
}

const current = (s, key, scroll = true) => {
  s.current = key
  const nodes = [...s.list.querySelectorAll(".item")]
  for (const node of nodes) node.classList.toggle("current", node.keys.includes(key))
  const node = s.list.querySelector(".current")
  if (node) s.reached = key
  if (scroll && node) inPanel(node, s.chips.offsetHeight + (orderNow() === "file" ? 24 : 0))
}

// One row for what is one defect in one file, in the order that is chosen.
const merged = (cards) => {
  const rows = new Map()
  for (const card of cards) {
    const key = card.row === null ? card.key : `${card.file} ${card.row}`
    rows.set(key, [...(rows.get(key) ?? []), card])
  }
  const first = (row) => Math.min(...row.map((card) => card.at ?? Infinity))
  return orderNow() === "file" ? [...rows.values()] : [...rows.values()].sort((one, other) => first(one) - first(other))
}

// The next card in the order of the list, for the keys; past the last one the first follows, and what is refuted is passed over.
const step = (s, { of, by, all }) => {
  // That of the submission before may be on the page for a while.
  if (of !== s.data.viewer) return false
  const cards = s.rows.flat().filter((card) => card.kind !== "gone")
  const at = cards.findIndex((card) => card.key === s.current)
  for (let i = 1, from = at < 0 && by < 0 ? 0 : at; i <= cards.length; i++) {
    const next = cards.at((from + by * i) % cards.length)
    if (next.check === "refuted" && !all && s.chosen.check !== "refuted") continue
    show(s, next)
    return current(s, next.key), true
  }
  return false
}

// Where the chosen card stands in the list, for its head.
const position = (s) => {
  const at = s.rows.findIndex((cards) => cards.some(({ key }) => key === s.current))
  tell("position", at < 0 ? {} : { key: s.current, at: at + 1, of: s.rows.length })
}

const drawChips = (s) => {
  const reviewers = [...new Map(s.data.cards.map((card) => [card.reviewer, card])).values()]
  const groups = [
    [...FACETS.severity.map((severity) => chip(s, "severity", severity, signNode(severity, ""), ` ${severity}`)), el("span", "gap"),
     ...FACETS.check.map((check) => chip(s, "check", check, signNode(check, ""), spoken(check)))],
    reviewers.length > 1 ? reviewers.map((card) => chip(s, "reviewer", card.reviewer, reviewerMark(card), reviewers.length > 3 ? spoken(card.reviewer) : ` ${card.reviewer}`)) : [],
  ]
  groups.push(Object.keys(READINGS).filter((value) => s.data.cards.some(({ reading }) => reading === value)).map((value) => chip(s, "reading", value, READINGS[value])))
  if (!s.filters) groups.length = 0
  // The strip over the code has these, too.
  if (s.data.compared && (s.filters || s.chosen.fate)) groups.push([el("span", "muted", s.data.compared), ...s.data.tally.map(([fate, words]) => fateChip(s, fate, words))])
  s.chips.replaceChildren(...groups.filter((group) => group.length).map((group) => el("div", "group", ...group)))
  s.root.style.setProperty("--covered", `${s.chips.offsetHeight}px`)
}

// A finding that is gone, as a card among the others.
const goneCard = (gone) => ({ ...gone, kind: "gone", gist: gone.message, lead: "", row: null, missed_by: [], comments: 0, end: gone.line })

// What was seen of it before the list is drawn anew shall be seen afterwards.
const isSeen = (s) => {
  const [node, panel] = [s.list.querySelector(".current"), s.root.getRootNode().host?.closest(".st-key-panel-body")]
  if (!node || !panel) return false
  const [mine, box] = [node.getBoundingClientRect(), panel.getBoundingClientRect()]
  return mine.bottom > box.top && mine.top < box.bottom
}

// Those with this fate alone, and to the first of them.
const listFate = (s, fate) => {
  s.chosen.fate = fate
  draw(s)
  if (fate && s.rows.length) show(s, s.rows[0][0])
}

const draw = (s) => {
  const seen = isSeen(s)
  drawChips(s)
  const rows = (s.rows = merged(s.data.cards.filter((card) => fits(s, card))))
  const focused = focusedIn(s)?.closest(".item")?.keys?.[0]
  const nodes = []
  let file
  for (const cards of rows.slice(0, MOST)) {
    if (orderNow() === "file" && cards[0].file !== file) {
      file = cards[0].file
      const count = rows.filter((one) => one[0].file === file).length
      nodes.push(el("h3", "", el("span", "path", s.data.files[file] ?? file), el("span", "muted", String(count))))
    }
    nodes.push(item(s, cards))
  }
  s.list.replaceChildren(...s.data.partial.map((words) => el("p", "partial wrap", words)), ...nodes)
  const nothing = s.data.cards.length ? "No finding matches these filters." : "No reviewer found anything."
  if (!rows.length) s.list.append(el("p", "muted none", nothing))
  if (rows.length > MOST) s.list.append(el("p", "muted none", `${rows.length - MOST} more: choose a severity, a fact check or a reviewer.`))
  // One that was chosen before it was in the list is looked for now.
  if (s.current) current(s, s.current, seen || s.reached !== s.current)
  position(s)
  if (focused) [...s.list.querySelectorAll(".item")].find((node) => node.keys[0] === focused)?.querySelector(".open").focus({ preventScroll: true })
}

export default mounted((s) => {
  if (s.data.gone.length && !s.data.cards.some((card) => card.kind === "gone")) s.data.cards = [...s.data.cards, ...s.data.gone.map((gone) => goneCard(gone))]
  if (!s.data.compared) s.chosen.fate = null
  draw(s)
  if (!s.current) tell("which")
}, (made) => {
  Object.assign(made, { chosen: {}, rows: [], filters: false })
  made.chips = el("div", "chips")
  made.list = el("div", "list")
  made.root.replaceChildren(made.chips, made.list)
  listen(made, document, "areachair:since", ({ detail }) => listFate(made, made.chosen.fate === detail.fate ? null : detail.fate))
  listen(made, document, "areachair:selected", (event) => {
    current(made, event.detail.key)
    position(made)
  })
  listen(made, document, "areachair:order", () => draw(made))
  listen(made, document, "areachair:filters", ({ detail }) => {
    if (made.filters === detail.shown) return
    made.filters = detail.shown
    if (!made.filters) made.chosen = { fate: made.chosen.fate }
    if (made.data) draw(made)
  })
  listen(made, document, "areachair:step", (event) => step(made, event.detail) && event.preventDefault())
  tell("list")
})
