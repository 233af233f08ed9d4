// A file beside the one that it was: removed lines stand among the others or, split, beside them; what did not change is folded,
// and findings that are gone stand where they stood. The code view calls `diffRows`, `reveal`, `revealCard`, `selectPast`, `drawPast`,
// `drawStrip` and `startDiff`.
import { CHUNK, LONG_SPAN, bring, drawCards, redraw, rowNode, rowOf, select } from "./code_view.js"
import { fateWords } from "./finding_fates.js"
import { prose } from "./prose.js"
import { attr, button, el, listen, plainKey, send, tell, titled } from "./shared.js"
import { checkWords, signNode } from "./signs.js"
import { tokenText } from "./token_text.js"

const CONTEXT = 3
const SHORTEST_FOLD = 8
const PART = 20
const SPLIT = "areachair:diff-split"
const BLANKS = "areachair:diff-blanks"

const isOn = (choice) => localStorage.getItem(choice) === "1"

const switchChoice = (s, choice) => {
  localStorage.setItem(choice, isOn(choice) ? "" : "1")
  const current = s.current
  redraw(s)
  if (current) select(s, current, true)
}

const stepsOf = ({ steps, inked }) => (isOn(BLANKS) ? inked : steps)

// All lines of the earlier file: what stayed is in the later one.
const earlierLines = ({ steps, gone }, lines) => {
  const earlier = []
  let [taken, at] = [0, 0]
  for (const [kept, came] of steps) {
    for (let i = 0; i < kept; i++) earlier.push(came === undefined ? lines[at + i] : gone[taken++])
    at += came ?? kept
  }
  return earlier
}

// A row holds a line of the later file, of the earlier one, or both; a number of 0 is none. What is only in the earlier one has
// no number of its own, and nothing can be said of it.
const diffRow = (s, earlier, [old, line], changed, split) => {
  const row = line ? rowNode(line, s.data.lines[line - 1]) : rowNode(0, split ? [] : earlier[old - 1])
  if (!line) {
    delete row.dataset.line
    row.firstElementChild?.replaceWith(el("span", "number", ""))
  }
  if (changed) row.classList.add(line ? "came" : "gone")
  const signed = (text, sign) => {
    text.prepend(el("span", "change-of", changed ? sign : " "))
    return text
  }
  signed(row.lastElementChild, line ? "+" : split ? " " : "−")
  if (split) {
    const text = signed(tokenText(old ? earlier[old - 1] : []), old ? "−" : " ")
    text.classList.add("earlier", changed && old ? "was" : "same")
    row.prepend(text)
  }
  row.prepend(el("span", "number old", old ? String(old) : ""))
  if (old) s.old.set(old, row)
  if (line) s.rows.push(row)
  return row
}

export const asChunks = (rows) => {
  const chunks = document.createDocumentFragment()
  for (let i = 0; i < rows.length; i += CHUNK) {
    const chunk = el("div", "chunk", ...rows.slice(i, i + CHUNK))
    chunk.style.containIntrinsicSize = `auto ${chunk.childElementCount * 19}px`
    chunks.append(chunk)
  }
  return chunks
}

// Lines of the later file that are seen at once: around changes, and around what is said of the code.
const keptLines = (s) => {
  const { past } = s.data.diff
  const seen = new Uint8Array(s.rows.length + 1)
  const see = (from, to) => seen.fill(1, Math.max(1, from - CONTEXT), Math.min(s.rows.length, to + CONTEXT) + 1)
  let line = 1
  for (const [kept, came] of stepsOf(s.data.diff)) {
    if (came !== undefined) see(line, line + came - 1)
    line += came ?? kept
  }
  for (const card of s.data.cards) if (card.line && !card.folded && card.check !== "refuted") see(card.line, Math.min(card.end ?? card.line, card.line + LONG_SPAN))
  for (const { line: old } of past) {
    const row = s.old.get(old)
    if (row?.dataset.line) see(+row.dataset.line, +row.dataset.line)
  }
  return seen
}

// The definition that the lines after a fold stand in.
const scopeOf = (rows, next) => {
  const text = (row) => row.lastElementChild.textContent.slice(1)
  const indent = next ? text(next).search(/\S/) : -1
  for (let i = rows.length - 1; i >= 0 && indent > 0; i--) {
    const found = /^(\s*)((?:async def|def|class)\s+\w+)/.exec(text(rows[i]))
    if (found && found[1].length < indent) return found[2]
  }
  return ""
}

const foldNode = (rows, next) => {
  const all = button("more", "unfold-all", `… ${rows.length} lines unchanged`)
  const part = (action, sign, title) => (rows.length > 2 * PART ? titled(button("part", action, signNode(sign, ""), ` ${PART}`), title) : null)
  const node = el("div", "stretch", part("unfold-top", "below", `Show ${PART} lines below`), all,
                  part("unfold-bottom", "above", `Show ${PART} lines above`), el("span", "scope mono", scopeOf(rows, next)))
  for (const row of rows) row.fold = node
  return Object.assign(node, { rows })
}

// Chunks stay small, so that the browser lays out only what is seen.
const unfoldRows = (s, node, action) => {
  const cut = action === "unfold-top" ? PART : action === "unfold-bottom" ? node.rows.length - PART : 0
  const [above, below] = [node.rows.slice(0, cut), node.rows.slice(cut)]
  for (const row of node.rows) row.fold = null
  const parts = action === "unfold-top" ? [...above, foldNode(below)] : action === "unfold-bottom" ? [foldNode(above, below[0]), ...below] : below
  const chunk = node.parentElement
  node.replaceWith(...parts)
  if (chunk.childElementCount > 2 * CHUNK) chunk.replaceWith(asChunks([...chunk.children]))
  drawCards(s)
}

// What is folded away is opened before anything goes to it.
export const reveal = (s, row) => {
  if (row?.fold) unfoldRows(s, row.fold, "unfold-all")
}

export const revealCard = (s, key) => {
  const card = s.data.cards.find((one) => one.key === key)
  if (card) reveal(s, rowOf(s, s.data.cards.find((one) => one.key === card.lead) ?? card))
}

export const diffRows = (s) => {
  const [steps, split] = [stepsOf(s.data.diff), isOn(SPLIT)]
  const earlier = earlierLines(s.data.diff, s.data.lines)
  const all = []
  let [old, line] = [0, 0]
  s.old = new Map()
  s.code.classList.toggle("split", split)
  for (const [kept, came] of steps) {
    const stayed = came === undefined
    const beside = stayed || split ? Math.min(kept, came ?? kept) : 0
    const add = (places) => all.push(diffRow(s, earlier, places, !stayed, split))
    for (let i = 0; i < beside; i++) add([++old, ++line])
    for (let i = beside; i < kept; i++) add([++old, 0])
    for (let i = beside; i < (came ?? kept); i++) add([0, ++line])
  }
  return steps.length > 1 ? withFolds(s, all) : asChunks(all)
}

const withFolds = (s, all) => {
  const seen = keptLines(s)
  const shown = []
  for (let i = 0; i < all.length; ) {
    let end = i
    while (end < all.length && all[end].dataset.line && !seen[+all[end].dataset.line]) end++
    if (end - i >= SHORTEST_FOLD) shown.push(foldNode(all.slice(i, end), all[end]))
    else shown.push(...all.slice(i, end))
    if (end < all.length) shown.push(all[end++])
    i = end
  }
  return asChunks(shown)
}

// A finding of the earlier attempt that is gone: one line, which opens.
const pastNode = (card) => {
  const fold = button("past-fold", "unfold-past", signNode("fold", ""), fateWords(card), el("span", "past-text", ...prose(card.message)), el("span", "muted", [card.reviewer, card.rule].filter(Boolean).join(" ")))
  fold.setAttribute("aria-expanded", "false")
  const still = card.standing ? "The code it refers to is unchanged." : ""
  const evidence = card.evidence ? el("div", "wrap", checkWords(card.check), " ", ...prose(card.evidence)) : null
  const node = el("article", `past ${card.severity}`, fold,
    el("div", "past-body", el("div", "wrap", ...prose(card.message)), evidence, el("div", "muted", `${card.severity} in ${card.where}: ${card.place || "no place"}. `, still)))
  node.dataset.key = card.key
  return node
}

const openPast = (node, open) => {
  node.classList.toggle("open", Boolean(open))
  node.querySelector(".past-fold").setAttribute("aria-expanded", String(Boolean(open)))
}

export const drawPast = (s) => {
  const before = s.past
  for (const node of before?.values() ?? []) node.remove()
  s.past = new Map()
  for (const [key, node] of s.cards) {
    const since = s.data.since?.[key]
    node.querySelector("header .fate")?.remove()
    if (since) node.querySelector("header")?.append(fateWords(since))
  }
  for (const card of s.data.diff?.past ?? []) {
    const node = pastNode(card)
    const row = s.old.get(card.line)
    s.past.set(card.key, node)
    openPast(node, before?.get(card.key)?.classList.contains("open"))
    if (row?.parentNode) row.after(node)
    else if (!row) s.head.append(node)
  }
}

export const selectPast = (s, key) => {
  const card = s.data.diff?.past.find((one) => one.key === key)
  if (!card) return false
  const row = s.old.get(card.line)
  reveal(s, row)
  const node = s.past.get(key)
  openPast(node, true)
  bring(s, row ?? node)
  tell("selected", { key })
  return true
}

const compareWith = (s, id) => send(s, { kind: "against", attempt: id })

const toggleAgainst = (s) => compareWith(s, s.data.attempts.against ? "" : s.data.attempts.options[0][0])

export const drawStrip = (s) => {
  const d = s.data.attempts
  s.strip.hidden = !d
  const text = JSON.stringify([d, s.data.diff?.words, s.data.diff?.steps, isOn(SPLIT), isOn(BLANKS)])
  if (s.strip.text === text) return
  s.strip.text = text
  if (!d) return s.strip.replaceChildren()
  const choice = el("select", "", new Option("no attempt", "", false, !d.against), ...d.options.map(([id, name]) => new Option(name, id, false, id === d.against)))
  choice.setAttribute("aria-label", "Compare with")
  choice.addEventListener("change", () => compareWith(s, choice.value))
  const parts = d.tally.map(([fate, words, count]) => {
    const node = titled(button(`part is-${fate}`, "since", el("b", "", String(count)), ` ${words}`), "List these findings, and show the first")
    node.dataset.fate = fate
    return node
  })
  const diff = s.data.diff
  const changes = (diff ? stepsOf(diff) : []).filter((step) => step.length > 1)
  const [minus, plus] = [0, 1].map((side) => changes.reduce((sum, step) => sum + step[side], 0))
  const toggle = d.options.length ? button("way", "toggle-against", d.against ? "Stop " : "Compare ", el("kbd", "", "e")) : null
  /** @type {(by: string, mark: string | Node, key: string, title: string, pressed?: boolean) => HTMLElement} */
  const way = (by, mark, key, title, pressed) =>
    attr(titled(button("way", by, mark, " ", el("kbd", "", key)), title), pressed === undefined ? { "aria-label": title } : { "aria-pressed": String(pressed) })
  const choices = diff && diff.steps.length > 1
    ? [way("split", "Split", "S", "The earlier file on the left, this one on the right", isOn(SPLIT)),
       way("blanks", "Ignore white space", "W", "Show no change of indentation and blanks", isOn(BLANKS))] : []
  const ways = changes.length && stepsOf(diff).length > 1 ? [way("change-before", signNode("previous", ""), ",", "Previous change"), way("change-after", signNode("next", ""), ".", "Next change")] : []
  const lines = diff && [...ways, diff.words && el("span", "muted", diff.words), plus + minus > 0 &&
    el("span", "lines", plus ? el("span", "plus", `+${plus}`) : "", " ", minus ? el("span", "minus", `−${minus}`) : ""), ...choices]
  const unheard = d.unheard.length ? titled(el("span", "muted", `${d.unheard.join(", ")} not compared`), "No verdict on both attempts") : null
  s.strip.replaceChildren(el("label", "", "Compare with ", choice), toggle, ...[lines].flat().filter(Boolean),
    el("span", "parts", ...parts, unheard), d.note ? el("span", "objection", d.note) : "")
}

// To the first line of the change after, or before, the one that is looked at.
const stepChange = (s, by) => {
  const changed = [...s.code.querySelectorAll(".row.gone, .row.came")]
  const firsts = changed.filter((row) => !/\b(gone|came)\b/.test(rowBefore(row)?.className ?? ""))
  const eye = s.scroll.getBoundingClientRect().top + s.scroll.clientHeight / 3
  const at = (row) => row.getBoundingClientRect().top - eye
  const next = by > 0 ? firsts.find((row) => at(row) > 2) : firsts.findLast((row) => at(row) < -2)
  if (next) bring(s, next)
}

// Cards stand between rows, and the first row of a chunk follows the last of the one before.
const rowBefore = (row) => {
  let node = row.previousElementSibling ?? row.parentElement.previousElementSibling?.lastElementChild
  while (node && !node.matches(".row, .stretch")) node = node.previousElementSibling
  return node
}

const onDiffClick = (s, event) => {
  const asked = event.target.closest("[data-action]")
  switch (asked?.dataset.action) {
    case "unfold-all": case "unfold-top": case "unfold-bottom": return unfoldRows(s, asked.parentElement, asked.dataset.action)
    case "unfold-past": return openPast(asked.parentElement, !asked.parentElement.classList.contains("open"))
    case "toggle-against": return toggleAgainst(s)
    case "change-after": return stepChange(s, 1)
    case "change-before": return stepChange(s, -1)
    case "split": return switchChoice(s, SPLIT)
    case "blanks": return switchChoice(s, BLANKS)
    case "since": return tell("since", { fate: asked.dataset.fate })
  }
}

export const startDiff = (s) => {
  s.strip = el("div", "strip")
  s.bar.after(s.strip)
  listen(s, s.root, "click", (event) => onDiffClick(s, event))
  listen(s, document, "areachair:show", (event) => {
    if (event.detail.file === s.data.path && event.detail.key && selectPast(s, event.detail.key)) event.preventDefault()
  })
  listen(s, window, "keydown", (event) => {
    const d = s.data.attempts
    const actions = { e: () => toggleAgainst(s), ".": () => stepChange(s, 1), ",": () => stepChange(s, -1), S: () => switchChoice(s, SPLIT), W: () => switchChoice(s, BLANKS) }
    if (!actions[event.key] || !plainKey(event) || !d?.options.length || (event.key !== "e" && !s.data.diff)) return
    event.preventDefault()
    actions[event.key]()
  }, true)
}
