// What a person does to cards and lines, by mouse and by key; each word goes to Python and shows at once.
import { unfold } from "./cards.js"
import { bring, cardsNow, drawCards, goTo, inView, offerTyped, openFile, outOfSight, putIntoAddress, select, showAll, step, switchWrap, toggleViewed } from "./code_view.js"
import { addFinding, layAside, lineAt, markRange, openForm } from "./line_form.js"
import { dismissalOf, fillForm } from "./reason_form.js"
import { afterRepair } from "./repair_block.js"
import { linesInView } from "./ruler.js"
import { copy, heldText, isRefused, isUnfolded, navigate, plainKey, send, withControl } from "./shared.js"

export const open = (s, key) => {
  s.opened.add(key)
  unfold(s.cards.get(key), true)
}

const say = (s, event, words, patch) => {
  const said = { event, words, patch }
  s.said.push(said)
  s.unsigned = s.unsigned.filter((one) => one.event.key !== event.key || one.event.kind !== event.kind)
  send(s, event, () => s.unsigned.push(said))
  drawCards(s)
}

// A way is taken, or (null) what was taken is taken back.
const takeRepair = (s, node, way) => {
  const { repair } = cardOf(s, node)
  say(s, { kind: "repair", key: node.dataset.key, finding: repair.finding, way }, way ? "the repair" : "the withdrawal",
      (card) => ({ repair: { ...card.repair, taken: way ?? "", by: "you" } }))
}

// What is said of a repair in its block: that it is declined, or edited, or kept unproven.
const SAID = { repair_decline: "that it is declined", repair_edit: "the edit", repair_own: "the edit as your own" }
export const sayRepair = (s, { detail, target }) => {
  const node = target.closest(".card")
  const { repair } = cardOf(s, node)
  s.scroll.focus({ preventScroll: true })
  say(s, { ...detail, key: node.dataset.key, finding: repair.finding }, SAID[detail.kind], (card) => ({ repair: afterRepair(card.repair, detail) }))
}

const textOf = ({ event }) => event.comment || event.reason

// Nobody signed it: a text is in its form again, as soon as its card is shown; the card says what was chosen (cardsNow).
export const putBack = (s) => {
  const texts = s.unsigned.filter((said) => textOf(said) && s.cards.has(said.event.key))
  s.unsigned = s.unsigned.filter((said) => !texts.includes(said))
  for (const said of texts) {
    const node = s.cards.get(said.event.key)
    startForm(s, node, said.event.comment ? "commenting" : "dismissing")
    fillForm(node.querySelector(said.event.comment ? "form.comment" : "form.dismiss"), heldText(textOf(said)))
  }
}

export const chosenOn = (s, key) => s.unsigned.filter((said) => said.event.key === key && !textOf(said))

const cardOf = (s, node) => cardsNow(s).find((card) => card.key === node.dataset.key)

const byMe = (fields) => ({ author: "you", at: new Date().toISOString(), ...fields })

const rule = (s, node, word, reason = "") => {
  const { key } = node.dataset
  const ruling = word === "withdrawn" ? null : byMe({ word, reason })
  if (word === "dismiss") s.opened.delete(key)
  const words = [{ confirm: "confirmed", dismiss: "dismissed", withdrawn: "the withdrawal" }[word], reason].filter(Boolean).join(", ")
  say(s, { kind: "rule", key, word, reason }, words, () => ({ ruling, ...(ruling && { check: word === "confirm" ? "confirmed" : "refuted" }) }))
}

// The same word again takes it back.
const ruleOrWithdraw = (s, node, word) => (cardOf(s, node).ruling?.word === word ? rule(s, node, "withdrawn") : rule(s, node, word))

const remark = (s, node, { severity = "", comment = "" }) => {
  const { key } = node.dataset
  const said = byMe({ severity, comment })
  const rated = (card, first = card.was || card.severity) => (severity ? { severity, was: severity === first ? "" : first } : {})
  say(s, { kind: "remark", key, severity, comment }, comment || severity, (card) => ({ remarks: [...card.remarks, said], ...rated(card) }))
}

const startForm = (s, node, kind) => {
  open(s, node.dataset.key)
  node.classList.remove("dismissing", "commenting")
  node.classList.add(kind)
  const form = node.querySelector(kind === "dismissing" ? "form.dismiss" : "form.comment")
  inView(s, form)
  form.elements.words.focus({ preventScroll: true })
}

const closeCardForms = (node) => {
  node.classList.remove("dismissing", "commenting")
  offerTyped(node)
}

const stopForms = (s) => {
  for (const node of s.root.querySelectorAll(".dismissing, .commenting")) closeCardForms(node)
  layAside(s, true)
  s.scroll.focus({ preventScroll: true })
}

const copyLink = (s, asked, card) => {
  const address = new URL(window.location.href)
  const submission = address.searchParams.get("s") ?? ""
  address.search = String(new URLSearchParams({ s: submission, file: card.file, finding: card.id }))
  copy(address.href).then(() => (s.told.textContent = "Link copied.", asked.textContent = "Copied"),
                          () => (s.told.textContent = address.href))
  setTimeout(() => (asked.textContent = "Copy link"), 1500)
}

const dismissOrWithdraw = (s, node) => (cardOf(s, node).ruling?.word === "dismiss" ? rule(s, node, "withdrawn") : startForm(s, node, "dismissing"))

export const onClick = (s, event) => {
  const asked = event.target.closest("[data-action]")
  const node = event.target.closest(".card")
  if (!asked) return node ? event.target.closest("header") && !event.target.closest("select") && select(s, node.dataset.key) : onLine(s, event)
  switch (asked.dataset.action) {
    // With the mouse the form opens when the button is let go, maybe on another line.
    case "line": return event.detail ? undefined : openForm(s, lineAt(event))
    case "select": return select(s, asked.dataset.key)
    case "unfold": return node.classList.contains("folded") ? open(s, node.dataset.key) : (s.opened.delete(node.dataset.key), unfold(node, false))
    case "goto": return goTo(s, asked.dataset.file, +asked.dataset.line || null)
    case "confirm": return ruleOrWithdraw(s, node, "confirm")
    case "dismiss": return dismissOrWithdraw(s, node)
    case "withdraw": return rule(s, node, "withdrawn")
    case "comment": return startForm(s, node, "commenting")
    case "reread": return send(s, { kind: "reread", key: node.dataset.key })
    case "repair": return takeRepair(s, node, asked.dataset.way || null)
    case "again": return chosenOn(s, node.dataset.key).forEach(({ event, words, patch }) => say(s, event, words, patch))
    case "copy": return copyLink(s, asked, cardOf(s, node))
    case "cancel": return stopForms(s)
    case "refuted": return showAll(s, !s.all)
    case "wrap": return switchWrap(s, !s.code.classList.contains("wrapped"))
    case "own": return openHere(s)
    case "viewed": return toggleViewed(s)
    case "next": return step(s, 1)
    case "previous": return step(s, -1)
    case "next-file": return openFile(s, s.data.next_file)
    case "previous-file": return openFile(s, s.data.previous_file)
  }
}

// A click into the code marks its line and puts it into the address; one that ends a selection of text does not.
const onLine = (s, event) => {
  const line = lineAt(event)
  if (!line || event.target.closest("form") || String(s.root.getRootNode().getSelection?.() ?? window.getSelection())) return
  markRange(s, line)
  putIntoAddress(s, { line })
}

// On the chosen lines, else under the chosen card, else on the first line that is seen.
const openHere = (s) => {
  if (!s.rows.length) return
  const card = s.data.cards.find((one) => one.key === s.current)
  const [from, to] = s.range ?? (card?.line ? [card.line, card.end] : linesInView(s) ?? [1, 1])
  openForm(s, from, s.range || card?.line ? to : from)
}

export const onSubmit = (s, event) => {
  event.preventDefault()
  const form = event.target
  const node = form.closest(".card")
  if (!node) return addFinding(s, form)
  const dismisses = form.matches(".dismiss")
  const said = dismisses ? dismissalOf(form) : form.elements.words.value.trim()
  if (!said) {
    if (dismisses) form.querySelector(".note").textContent = "Say why in a few words, or choose a reason."
    return form.elements.words.focus({ preventScroll: true })
  }
  form.reset()
  for (const chip of form.querySelectorAll(".reason")) chip.ariaPressed = "false"
  closeCardForms(node)
  s.scroll.focus({ preventScroll: true })
  if (dismisses) rule(s, node, "dismiss", said)
  else remark(s, node, { comment: said })
}

export const onChange = (s, event) => {
  const node = event.target.closest(".card")
  if (!event.target.matches("select.severity") || !node) return
  remark(s, node, { severity: event.target.value })
  s.scroll.focus({ preventScroll: true })
}

const chooseSeverity = (s, node) => {
  const field = node?.querySelector("header select")
  if (!field) return
  open(s, node.dataset.key)
  field.focus({ preventScroll: true })
  field.showPicker?.()
}

// A closed list of severities would take a letter or an arrow for a new one, and the store would keep it.
const leaveSeverity = (s, event) => {
  const field = event.composedPath()[0]
  if (!field.matches?.("select.severity") || withControl(event) || isUnfolded(field)) return false
  const arrow = /^Arrow/.test(event.key)
  if (!arrow && event.key !== "Escape" && (event.key.length > 1 || event.key === " ")) return false
  event.preventDefault()
  event.stopImmediatePropagation()
  if (arrow) field.showPicker?.()
  else s.scroll.focus({ preventScroll: true })
  if (event.key.length === 1) s.scroll.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, bubbles: true, composed: true, cancelable: true }))
  return true
}

export const onKey = (s, event) => {
  if (leaveSeverity(s, event)) return
  if (!plainKey(event) || isRefused(s, event, "cdmrsa")) return
  if (event.key === "Escape") return s.root.querySelector(".dismissing, .commenting, form.own") && stopForms(s)
  const current = s.cards.get(s.current)
  const press = (action) => {
    // Scrolled away from, it comes back: nobody shall rule on what is not seen.
    if (current && outOfSight(s, current)) bring(s, current)
    current?.querySelector(`[data-action=${action}]`)?.click()
  }
  const actions = {
    j: () => step(s, 1),
    k: () => step(s, -1),
    "]": () => openFile(s, s.data.next_file),
    "[": () => openFile(s, s.data.previous_file),
    c: () => press("confirm"),
    d: () => press("dismiss"),
    m: () => press("comment"),
    r: () => press("reread"),
    // What came while the card was looked at is folded: nobody accepts what is not seen.
    p: () => press(current?.querySelector(".repair-acts") ? "repair" : "repair-fold"),
    s: () => chooseSeverity(s, current),
    x: () => toggleViewed(s),
    a: () => openHere(s),
    u: () => showAll(s, !s.all),
    w: () => switchWrap(s, !s.code.classList.contains("wrapped")),
    n: () => s.data.next_submission && navigate(s.data.next_submission),
  }
  if (!actions[event.key]) return
  event.preventDefault()
  event.stopPropagation()
  actions[event.key]()
}
