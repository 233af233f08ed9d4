// One reviewer at a time: its text, repaired for reading and marked, or the answer as it came.
import { attr, button, el, inPanel, listen, mounted, send, tell, titled } from "./shared.js"
import { reviewerMark, signNode } from "./signs.js"

const LEGEND = ["confirmed", "unverified", "refuted"]

const piece = (s, part) => {
  if (!part.key) return part.text
  const mark = el("mark", `claim ${part.check}`, signNode(part.check, ""), part.text)
  mark.title = `${part.check}: ${part.evidence}`
  mark.tabIndex = 0
  attr(mark, { role: "button", "aria-label": `${part.check} claim: ${part.text}` })
  mark.dataset.key = part.key
  const go = () => { if (!tell("show", { file: part.file, key: part.key })) send(s, { kind: "open", file: part.file, key: part.key }) }
  mark.addEventListener("click", go)
  mark.addEventListener("keydown", (event) => event.key === "Enter" && go())
  return mark
}

const pressed = (node, on) => {
  node.setAttribute("aria-pressed", String(on))
  return node
}

const toTop = (s) => s.root.getRootNode().host?.closest(".st-key-panel-body")?.scrollTo(0, 0)

const tab = (s, text) => {
  const node = pressed(button("chip", "choose", reviewerMark(text), ` ${text.reviewer}`), text.reviewer === s.chosen)
  node.addEventListener("click", () => { s.chosen = text.reviewer; draw(s); toTop(s); s.root.querySelector(".chip[aria-pressed=true]").focus() })
  return node
}

const side = (s, raw, label, title) => {
  const node = titled(pressed(button("chip", "side", label), s.raw === raw), title)
  node.addEventListener("click", () => { s.raw = raw; draw(s); toTop(s); s.root.querySelector(".sides .chip[aria-pressed=true]").focus() })
  return node
}

const readable = (s, text) => {
  if (!text.parts.length) return [el("p", "muted", "This answer contains no readable text; see “Original”.")]
  const marks = text.parts.filter((part) => part.key)
  const counts = LEGEND.map((check) => [check, marks.filter((part) => part.check === check).length]).filter(([, count]) => count)
  const legend = counts.map(([check, count]) => el("span", `claim ${check}`, signNode(check, ""), ` ${count} ${check}`))
  const words = marks.length ? "unmarked text contains no claim" : "This text contains no claims."
  return [el("div", "legend", ...legend, el("span", "muted", words)), el("div", "text wrap", ...text.parts.map((part) => piece(s, part)))]
}

const draw = (s) => {
  const text = s.data.texts.find((one) => one.reviewer === s.chosen) ?? s.data.texts[0]
  if (!text) return s.root.replaceChildren(el("p", "muted", "No reviewer wrote a text about this submission."))
  s.chosen = text.reviewer
  const sides = [side(s, false, "Repaired text", "Decoded and unescaped for reading, claims marked"), side(s, true, "Original", "The bytes of the answer, as text")]
  /** @type {HTMLElement[]} */
  const nodes = [el("div", "top", el("span", "tabs", ...(s.data.texts.length > 1 ? s.data.texts.map((one) => tab(s, one)) : [el("b", "", text.reviewer)])), el("span", "sides", ...sides))]
  if (text.model) nodes.push(el("div", "model muted", text.model))
  if (text.failure) nodes.push(el("div", "failure wrap", `No verdict: ${text.failure}`))
  if (s.raw) nodes.push(text.raw ? el("pre", "raw mono wrap", text.raw) : el("p", "muted", "The original answer was not stored."))
  else nodes.push(...readable(s, text))
  if (text.cut) nodes.push(el("p", "muted", "Shortened; the export contains all of it."))
  s.root.replaceChildren(...nodes)
  mark(s)
}

const mark = (s) => {
  for (const node of s.root.querySelectorAll("mark")) node.classList.toggle("current", node.dataset.key === s.current)
}

export default mounted((s) => {
  draw(s)
  if (!s.current) tell("which")
}, (made) => {
  made.raw = false
  listen(made, document, "areachair:selected", (event) => {
    made.current = event.detail.key
    mark(made)
    const said = made.root.querySelector("mark.current")
    if (said) inPanel(said, made.root.querySelector(".top")?.clientHeight)
  })
})
