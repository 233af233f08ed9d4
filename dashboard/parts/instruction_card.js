// What would have prevented the top causes, as text for a generator's prompt; it can be edited before it is copied.
import { attr, button, copy, el, listen, mounted, sheetOpen, typing } from "./shared.js"

const COPY = "Copy as an instruction for the generator"

// Between backticks stands code.
/** @type {(words: string) => Child[]} */
const coded = (words) => words.split("`").map((part, place) => (place % 2 ? el("code", "", part) : part))

const lineNode = ({ id, summary, why, count, mechanical }, place) =>
  el("li", "", el("span", "n", place + 1), el("span", "", el("b", "", summary), ". ", el("span", "muted", ...coded(why), " ", id, mechanical ? ", mechanical" : "")), el("b", "count", count))

const take = (s) => {
  const field = s.root.querySelector("textarea")
  copy(/** @type {HTMLTextAreaElement} */ (field).value).then(() => {
    const words = s.root.querySelector("[data-action=copy] .words")
    if (!words) return
    words.textContent = "Copied"
    setTimeout(() => (words.textContent = COPY), 1500)
  })
}

const draw = (s) => {
  const text = JSON.stringify(s.data)
  if (s.text === text) return
  s.text = text
  const field = attr(Object.assign(el("textarea", ""), { value: s.data.text, spellcheck: false, hidden: true, rows: 14 }), { "aria-label": "Instruction for the generator" })
  const take_it = button("act strong", "copy", el("span", "words", COPY), el("kbd", "", "y"))
  take_it.addEventListener("click", () => take(s))
  const edit = attr(button("act", "edit", "Edit the lines"), { "aria-expanded": "false" })
  edit.addEventListener("click", () => {
    field.hidden = !field.hidden
    edit.setAttribute("aria-expanded", String(!field.hidden))
    if (!field.hidden) field.focus()
  })
  s.root.replaceChildren(el("div", "head muted", "prevents"), el("ol", "", ...s.data.lines.map(lineNode)), field, el("div", "acts", take_it, edit))
}

export default mounted(draw, (s) => {
  listen(s, document, "keydown", (event) => {
    if (event.key !== "y" || event.ctrlKey || event.metaKey || event.altKey || typing(event) || sheetOpen()) return
    event.preventDefault()
    take(s)
  })
})
