// Code with cards under the flagged lines. Moving between cards is the browser's own work; a word on a finding goes to Python.
import { chosenOn, onChange, onClick, onKey, onSubmit, open, putBack, sayRepair } from "./card_actions.js"
import { cardNode, isFolded, placeButton, unfold } from "./cards.js"
import { asChunks, diffRows, drawPast, drawStrip, reveal, revealCard, selectPast, startDiff } from "./code_diff.js"
import { drawGutter } from "./gutter.js"
import { afterAdding, layAside, markRange, startLineForm, takeUp } from "./line_form.js"
import { fateLines } from "./outcome_cards.js"
import { drawRuler, startRuler, watchView } from "./ruler.js"
import { arrange, button, el, focusedIn, isLate, isOpen, listen, mounted, plural, send, tell, titled, waits } from "./shared.js"
import { signNode } from "./signs.js"
import { tokenText } from "./token_text.js"
import { switchViewed, viewedFiles } from "./viewed.js"

export const CHUNK = 100
export const LONG_SPAN = 12
const WRAP = "areachair:wrap"

export const rowNode = (number, tokens) => {
  const line = button("number", "line", String(number))
  line.tabIndex = -1
  line.setAttribute("aria-label", `Line ${number}`)
  const row = el("div", "row", line, el("span", "marks"), tokenText(tokens))
  row.dataset.line = number
  return row
}

const drawCode = (s) => {
  layAside(s)
  s.rows = s.data.diff ? [] : s.data.lines.map((tokens, i) => rowNode(i + 1, tokens))
  s.code.replaceChildren(s.data.diff ? diffRows(s) : asChunks(s.rows))
  s.code.classList.toggle("beside", Boolean(s.data.diff))
  s.scroll.scrollTo(0, 0)
  s.drawn = s.data.code_key
  s.drawnPath = s.data.path
  s.current = s.range = null
  takeUp(s)
}

/** @type {(s: State) => void} */
export const redraw = (s) => {
  drawCode(s)
  drawStrip(s)
  drawCards(s)
}

// The card goes under its last line, but under the first one of a long span, where the eye lands.
export const rowOf = (s, { line, end }) => (line ? s.rows[(end - line > LONG_SPAN ? line : end) - 1] ?? s.rows[line - 1] : undefined)

// What a person just said shows at once, and until Python has answered.
export const cardsNow = (s) => {
  s.said = s.said.filter(({ event }) => isOpen(s, event))
  const state = (events) => ({ busy: true, late: events.some((event) => isLate(s, event)), waits: events.some((event) => waits(s, event)) })
  const cards = s.data.cards.map((card) => {
    const said = s.said.filter(({ event }) => event.key === card.key)
    const unsigned = chosenOn(s, card.key).map(({ words }) => words).join("; ")
    if (!said.length) return unsigned ? { ...card, unsigned } : card
    // What waits for its name is not done: the card says what it is, and stays as it was.
    const [waiting, sent] = [said.filter(({ event }) => waits(s, event)), said.filter(({ event }) => !waits(s, event))]
    const patched = sent.reduce((patched, { patch }) => ({ ...patched, ...patch(patched) }), card)
    return { ...patched, ...state(said.map(({ event }) => event)), saying: waiting.map(({ words }) => words).join("; "), unsigned }
  })
  return s.adding?.card.file === s.data.path ? [...cards, { ...s.adding.card, ...state([s.adding.event]) }] : cards
}

// A card that has not changed stays the node that it is, with the reason that is being typed into it.
const cardNodes = (s, cards) => {
  const nodes = new Map()
  const groups = new Map()
  for (const card of cards) {
    const group = groups.get(card.lead || card.key) ?? []
    groups.set(card.lead || card.key, [...group, card])
    const known = s.cards.get(card.key) ?? s.left.get(card.key)
    const text = JSON.stringify([card, group.map((one) => one.key)])
    const same = known?.text === text && known.isConnected
    const node = same ? known : cardNode(card, group, s.data.reasons, s.data.rules[card.rule], s.repairs)
    node.text = text
    if (s.data.only_reads) node.querySelector("select.severity")?.setAttribute("disabled", "")
    if (!same) unfold(node, !isFolded(card) || s.all || s.opened.has(card.key))
    if (!same && known) keepForms(known, node)
    s.left.delete(card.key)
    nodes.set(card.key, node)
  }
  return nodes
}

// What is typed moves along into a card that is drawn anew, whether its form is open or was closed.
const FORMS = [["dismiss", "dismissing", "Dismiss", "Restore dismissal"], ["comment", "commenting", "Comment", "Restore comment"]]
const keepForms = (known, node) => {
  for (const [name, opened] of FORMS) {
    const form = known.querySelector(`form.${name}`)
    if (!form) continue
    node.querySelector(`form.${name}`)?.replaceWith(form)
    node.classList.toggle(opened, known.classList.contains(opened))
  }
  const help = known.querySelector(".help")
  if (help) node.querySelector(".help")?.replaceWith(help)
  offerTyped(node)
}

const isTyped = (form) => Boolean(form?.elements.words.value.trim())

// Where a form was closed over a text, its button says that the text is still to be had.
export const offerTyped = (node) => {
  for (const [name, , words, again] of FORMS) {
    const act = node.querySelector(`.actions [data-action=${name}]`)
    if (act) act.firstChild.textContent = isTyped(node.querySelector(`form.${name}`)) && act.ariaPressed !== "true" ? again : words
  }
}

// Where something shows whose card stands elsewhere, a line leads to it.
const drawPointers = (s, placed) => {
  s.pointers?.forEach((node) => node.remove())
  s.pointers = s.data.pointers.flatMap((pointer) => {
    let last = s.rows[pointer.at - 1]
    if (!last) return []
    const node = el("div", "pointer muted", `${pointer.words} `, placeButton(pointer))
    while (placed.has(last.nextElementSibling)) last = last.nextElementSibling
    last.after(node)
    placed.add(node)
    return [node]
  })
}

// Under what the card of a real run says.
const drawFates = (s) => {
  for (const card of s.data.cards) {
    const node = card.kind === "outcome" && card.fates.length ? s.cards.get(card.key) : null
    if (node && !node.querySelector(".fates")) node.append(fateLines(card.fates, ({ file, key }) => tell("show", { file, key }) || openFile(s, { file, key })))
  }
}

export const drawCards = (s) => {
  const typedIn = focusedIn(s)
  const cards = cardsNow(s)
  const leads = new Map(cards.map((card) => [card.key, card]))
  const nodes = cardNodes(s, cards)
  const placed = new Set()
  const notes = s.data.notes.map((note) => el("div", "note", note))
  const head = []
  for (const [key, node] of s.cards) {
    if (nodes.get(key) !== node) node.remove()
    // What was typed into a card waits until its file is shown again.
    if (!nodes.has(key) && (node.matches(".dismissing, .commenting") || [...node.querySelectorAll("form")].some(isTyped))) s.left.set(key, node)
  }
  s.cards = nodes
  for (const card of cards) {
    const node = nodes.get(card.key)
    const row = rowOf(s, leads.get(card.lead) ?? card)
    if (!row) head.push(node)
    else {
      let last = row
      while (placed.has(last.nextElementSibling)) last = last.nextElementSibling
      if (last.nextElementSibling !== node) last.after(node)
      placed.add(node)
    }
  }
  drawPointers(s, placed)
  const whole = head.filter((node) => !node.matches(".is-outcome")).length
  if (whole && s.rows.length) notes.push(el("div", "note", `About the whole file: ${plural(whole, "finding")}`))
  arrange(s.head, [...notes, ...head])
  drawGutter(s, cards)
  drawRuler(s, cards)
  const folded = cards.filter(isFolded).length
  const shown = cards.filter((card) => card.kind !== "outcome").length - folded
  const findings = !s.data.hidden ? plural(shown, "finding") : shown ? `${plural(shown, "finding")} of yours, others hidden` : "Findings hidden"
  s.tally.replaceChildren(findings, el("span", "word", s.rows.length ? ` · ${plural(s.rows.length, "line")}` : ""))
  s.refuted.hidden = !folded
  s.refuted.firstChild.textContent = `${s.all ? "Fold" : "Show"} ${folded} refuted`
  s.refuted.setAttribute("aria-pressed", String(Boolean(s.all)))
  for (const [key, node] of nodes) node.classList.toggle("current", key === s.current)
  if (typedIn?.closest?.(".card form") && typedIn.isConnected) typedIn.focus({ preventScroll: true })
  drawFates(s)
  drawPast(s)
  drawPosition(s)
  if (s.unsigned.length) putBack(s)
}

// Not scrollIntoView, which would also move Streamlit's page. Twice: the first time lays out chunks that were skipped.
export const bring = (s, wanted, share = 3) => {
  const node = wanted.fold ?? wanted
  const top = (one) => one.getBoundingClientRect().top
  for (let i = 0; i < 2; i++) s.scroll.scrollTop += top(node) - top(s.scroll) - s.scroll.clientHeight / share
}

// Below the first of several cards at one line: as far as is needed to see all of it, or its beginning.
const bringWhole = (s, node) => {
  const [mine, box] = [node.getBoundingClientRect(), s.scroll.getBoundingClientRect()]
  if (mine.bottom > box.bottom) s.scroll.scrollTop += Math.min(mine.bottom - box.bottom + 12, mine.top - box.top - 40)
}

export const outOfSight = (s, node) => {
  const [mine, box] = [node.getBoundingClientRect(), s.scroll.getBoundingClientRect()]
  return mine.bottom < box.top + 20 || mine.top > box.bottom - 20
}

export const inView = (s, node) => {
  const [mine, box] = [node.getBoundingClientRect(), s.scroll.getBoundingClientRect()]
  if (mine.top < box.top || mine.bottom > box.bottom) bring(s, node, 2)
}

// The address names what is looked at, so that it can be copied; Streamlit reads it there at its next run.
/** @type {(s: State, place: { line?: number | null, finding?: string }) => void} */
export const putIntoAddress = (s, { line, finding }) => {
  const address = new URL(window.location.href)
  const put = (name, value) => (value ? address.searchParams.set(name, value) : address.searchParams.delete(name))
  put("f", null)
  put("file", s.data.path)
  put("line", line)
  put("finding", finding)
  s.put = `${s.data.path}:${line ?? ""}:${finding ?? ""}`
  window.history.replaceState(window.history.state, "", address)
}

export const select = (s, key, quietly = false) => {
  revealCard(s, key)
  const node = s.cards.get(key)
  if (!node) return false
  s.cards.get(s.current)?.classList.remove("current")
  s.current = key
  node.classList.add("current")
  const card = s.data.cards.find((one) => one.key === key)
  const row = card.line && s.rows[card.line - 1]
  bring(s, row && !card.lead ? row : node)
  bringWhole(s, node)
  if (!quietly && card.id) putIntoAddress(s, { finding: card.id })
  tell("selected", { key })
  return true
}

const target = (s, line) => {
  const row = s.rows[line - 1]
  if (!row) return false
  reveal(s, row)
  markRange(s, line)
  bring(s, row)
  return true
}

export const openFile = (s, place) => place && send(s, { kind: "open", ...place })

const openCards = (s) => s.data.cards.filter((card) => s.all || !isFolded(card)).map((card) => card.key)

export const goTo = (s, file, line) => (file === s.data.path && line ? target(s, line) : openFile(s, { file, line }))

// In the order of the list of findings, where it is on the page; else through the code, where folded cards are stepped over and
// past the last card the next file with findings follows.
export const step = (s, by) => {
  if (tell("step", { of: s.data.viewer, by, all: Boolean(s.all) })) return
  const keys = openCards(s)
  const at = keys.indexOf(s.current)
  const next = at < 0 ? keys.at(by > 0 ? 0 : -1) : keys[at + by]
  if (next) select(s, next)
  else openFile(s, by > 0 ? s.data.next_finding : s.data.previous_finding)
}

export const showAll = (s, all) => {
  s.all = all
  for (const [key, node] of s.cards) unfold(node, all || s.opened.has(key))
  drawCards(s)
}

export const switchWrap = (s, on) => {
  s.code.classList.toggle("wrapped", on)
  s.wrap.setAttribute("aria-pressed", String(on))
  localStorage.setItem(WRAP, on ? "1" : "")
  watchView(s)
}

// Where the chosen card stands among all findings, with the ways to those beside it.
const drawPosition = (s) => {
  for (const node of s.root.querySelectorAll(".position:not(:empty)")) node.replaceChildren()
  const { key, at, of } = s.position ?? {}
  const way = (action, title) => titled(button("way", action, signNode(action, "")), title)
  const node = key === s.current && s.cards.get(key)?.querySelector(".position")
  if (node) node.append(`${at} of ${of}`, way("previous", "Previous finding (k)"), way("next", "Next finding (j)"))
}

export const toggleViewed = (s) => switchViewed(s.data.viewer, s.data.path)

const drawViewed = (s) => s.viewed.setAttribute("aria-pressed", String(viewedFiles(s.data.viewer).has(s.data.path)))

const start = (s) => {
  for (const part of ["bar", "path", "tally", "keys", "scroll", "head", "code", "ruler", "told"]) s[part] = s.root.querySelector(`.${part}`)
  s.cards = new Map()
  Object.assign(s, { said: [], unsigned: [] })
  s.near = ({ key = s.adding?.card.key }) => [...(s.cards.get(key)?.querySelectorAll(".state") ?? [])].find((node) => node.offsetParent)
  // Streamlit may leave the code of the submission before on the page for a while; its cards and keys must not answer any more.
  tell("newer", { mount: s.mount })
  listen(s, document, "areachair:newer", (event) => {
    if (event.detail.mount === s.mount) return
    for (const stop of s.unlisten) stop()
    s.root.hidden = true
    s.root.replaceChildren()
  })
  s.opened = new Set()
  s.repairs = new Map()
  s.left = new Map()
  s.aside = new Map()
  s.restate = () => drawCards(s)
  s.refuted = button("switch", "refuted", el("span"), " ", el("kbd", "", "u"))
  s.wrap = titled(button("switch", "wrap", "Wrap ", el("kbd", "", "w")), "Wrap long lines")
  const pair = (what, back, on) => {
    const nodes = [button("", `previous${back[1]}`, el("kbd", "", back[0])), button("", `next${on[1]}`, el("kbd", "", on[0]), el("span", "word", ` ${what}`))]
    nodes.forEach((node, at) => {
      titled(node, `${at ? "Next" : "Previous"} ${what}`)
      // A name has to hold what can be seen, the key among it.
      node.setAttribute("aria-label", `${at ? "Next" : "Previous"}, ${node.firstChild?.textContent} ${what}`)
    })
    return el("span", "", nodes[0], " ", nodes[1])
  }
  s.own = titled(button("", "own", "Add ", el("kbd", "", "a")), "Add your own finding; drag over line numbers for several lines")
  s.viewed = titled(button("act", "viewed", "Viewed", el("kbd", "", "x")), "You have looked through this file; the list of files shows it")
  s.keys.append(s.refuted, s.wrap, s.own,
                pair("finding", ["k", ""], ["j", ""]), pair("file", ["[", "-file"], ["]", "-file"]), s.viewed)
  listen(s, s.root, "click", (event) => onClick(s, event))
  listen(s, s.root, "submit", (event) => onSubmit(s, event))
  listen(s, s.root, "change", (event) => onChange(s, event))
  listen(s, s.root, "areachair:repair", (event) => sayRepair(s, event))
  // While it goes down, before Streamlit's own shortcuts (c, r) hear of it.
  listen(s, window, "keydown", (event) => onKey(s, event), true)
  startRuler(s)
  startLineForm(s)
  startDiff(s)
  switchWrap(s, localStorage.getItem(WRAP) === "1")
  // A list that is drawn after the card was chosen asks which one it is.
  listen(s, document, "areachair:position", ({ detail }) => {
    s.position = detail
    drawPosition(s)
  })
  listen(s, document, "areachair:viewed", () => drawViewed(s))
  listen(s, document, "areachair:which", () => s.current && tell("selected", { key: s.current }))
  listen(s, document, "areachair:show", (event) => {
    const { file, key, line } = event.detail
    if (file === s.data.path && (key ? select(s, key) : target(s, line))) {
      if (key) open(s, key)
      event.preventDefault()
    }
  })
}

const focusOn = (s, { seq, key, line, card }) => {
  const first = s.focused === undefined
  s.focused = seq
  // The address says what this view has put there itself.
  if (seq === s.put) return
  requestAnimationFrame(() => {
    if (key && select(s, key, first)) return open(s, key)
    if (key && selectPast(s, key)) return
    if (line && target(s, line)) return
    const chosen = openCards(s).at(card === "last" ? -1 : 0)
    if (chosen) select(s, chosen, first)
  })
}

export default mounted((s) => {
  titled(s.path, s.data.title).textContent = s.data.title
  const before = s.drawnPath === s.data.path ? s.current : null
  if (s.drawn !== s.data.code_key) drawCode(s)
  drawStrip(s)
  drawCards(s)
  drawViewed(s)
  // The same file beside another attempt: the card stays the one that it was.
  if (before && !s.current) select(s, before, true)
  afterAdding(s)
  if (s.data.focus.seq !== s.focused) focusOn(s, s.data.focus)
}, start)
