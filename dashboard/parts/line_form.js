// A finding of one's own: a line, or several by dragging or with shift, and the form below them.
import { SEVERITIES } from "./cards.js"
import { asForm, cancelOf, submitOf } from "./reason_form.js"
import { reveal } from "./code_diff.js"
import { drawCards, inView, putIntoAddress, select } from "./code_view.js"
import { choice, el, heldText, isOpen, listen, send } from "./shared.js"

const mostOf = (s, [from, to]) => [Math.max(1, Math.min(from, to)), Math.min(s.rows.length, Math.max(from, to))]

export const markRange = (s, from, to = from) => {
  for (const row of s.code.querySelectorAll(".row.target")) row.classList.remove("target")
  s.range = mostOf(s, [from, to])
  for (let n = s.range[0]; n <= s.range[1]; n++) s.rows[n - 1].classList.add("target")
}

const closeForm = (s) => {
  s.form?.remove()
  s.form = null
}

// A form that holds text waits: open until its file is shown again, or closed until it is asked for again.
export const layAside = (s, closed = false) => {
  if (s.form?.elements.words.value.trim() && !s.adding) s.aside.set(s.drawnPath, { form: s.form, range: s.range, closed })
  closeForm(s)
  offerOwn(s)
}

const offerOwn = (s) => (s.own.firstChild.textContent = s.aside.has(s.data.path) ? "Restore finding " : "Add ")

export const takeUp = (s) => {
  const left = s.aside.get(s.data.path)
  offerOwn(s)
  if (!left || left.closed || left.range[1] > s.rows.length) return
  s.aside.delete(s.data.path)
  s.form = left.form
  placeForm(s, ...left.range)
}

// What is typed already stays when other lines are chosen.
export const openForm = (s, from, to = from) => {
  // The one before is on its way, or waits for its name.
  if (s.adding || s.data.only_reads) return
  s.form ??= s.aside.get(s.data.path)?.form ?? lineForm(s)
  s.aside.delete(s.data.path)
  offerOwn(s)
  placeForm(s, from, to)
  inView(s, s.form)
  s.form.elements.words.focus({ preventScroll: true })
}

const placeForm = (s, from, to) => {
  markRange(s, from, to)
  const [first, last] = s.range
  reveal(s, s.rows[last - 1])
  s.form.querySelector(".which").textContent = first === last ? `Your finding on line ${first}` : `Your finding on lines ${first} to ${last}`
  let below = s.rows[last - 1]
  while (below.nextElementSibling?.classList.contains("card")) below = below.nextElementSibling
  below.after(s.form)
}

const lineForm = (s) => {
  const words = Object.assign(el("textarea"), { name: "words", rows: 2, maxLength: 4000, placeholder: "What is wrong here?" })
  words.setAttribute("aria-label", "Message")
  const choices = [choice("severity", "Severity", SEVERITIES, "major"), choice("category", "Category", s.data.categories)]
  return asForm(el("form", "own", el("b", "which"), words, el("div", "choices", ...choices, submitOf("Add finding"), cancelOf())))
}

export const addFinding = (s, form) => {
  const { severity, category, words: field } = form.elements
  if (!field.value.trim()) return field.focus()
  const [line, end] = s.range
  const words = field.value.trim()
  const topic = category.selectedOptions[0].textContent
  s.known = new Set(s.data.cards.map((card) => card.key))
  const card = { kind: "finding", key: "adding", file: s.data.path, line, end, severity: severity.value, category: topic, message: words, check: "confirmed", reviewer: "you",
               mark: "person", own: new Date().toISOString(), remarks: [], missed_by: [], lead: "", row: null }
  const event = { kind: "find", file: s.data.path, line, end, severity: severity.value, category: category.value, message: words }
  s.adding = { card, event }
  const { range } = s
  send(s, event, () => {
    field.value = heldText(field.value)
    form.hidden = false
    if (s.form !== form) s.aside.set(card.file, { form, range })
    afterAdding(s)
    takeUp(s)
  })
  form.hidden = true
  // A browser leaves the focus in what is hidden until it draws the next frame, and the next key would go there.
  s.scroll.focus({ preventScroll: true })
  drawCards(s)
}

// Once Python has answered: the new card stands there, or the form stays with what was typed.
export const afterAdding = (s) => {
  if (!s.adding || isOpen(s, s.adding.event)) return
  const { file } = s.adding.card
  s.adding = null
  drawCards(s)
  if (file !== s.data.path) return
  const added = s.data.cards.find((card) => !s.known.has(card.key) && card.own)
  if (!added) return s.form && (s.form.hidden = false)
  closeForm(s)
  select(s, added.key)
  s.scroll.focus({ preventScroll: true })
}

export const lineAt = (event) => +(event.target.closest?.(".row")?.dataset.line ?? 0)

export const startLineForm = (s) => {
  listen(s, s.code, "pointerdown", (event) => {
    if (event.button || !lineAt(event) || !event.target.closest(".number")) return
    event.preventDefault()
    s.dragged = event.shiftKey && s.range ? s.range[0] : lineAt(event)
    markRange(s, s.dragged, lineAt(event))
  })
  listen(s, s.code, "pointerover", (event) => s.dragged && lineAt(event) && markRange(s, s.dragged, lineAt(event)))
  listen(s, window, "pointerup", () => {
    if (!s.dragged) return
    s.dragged = null
    putIntoAddress(s, { line: s.range[0] })
    openForm(s, ...s.range)
  })
}
