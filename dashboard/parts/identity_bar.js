// Cookies are written here: only the browser can, and the next visit begins with them.
import { arrange, button, el, focusedIn, listen, mounted, plainKey, send, swallow, titled } from "./shared.js"
import { markUnsigned, nameField, nameProblem, popUp, startSigning } from "./sign.js"

const keep = (name, value) => {
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=31536000; samesite=lax`
}

const rename = (s) => {
  if (s.data.fixed || s.form || s.dialog) return
  s.form = nameForm(s)
  s.root.append(s.form)
  popUp(s.form, s.root.firstChild.getBoundingClientRect())
  s.form.querySelector("input").select()
}

// The name is known from now on, whatever was on its way from Python meanwhile.
const named = (s, name) => {
  s.given = name
  s.data = { ...s.data, name }
  keep(s.data.cookies[0], name)
  markUnsigned(s)
  draw(s)
}

const nameForm = (s) => {
  const field = nameField("Your name")
  const before = s.data.name
  field.value = before
  const note = el("span", "note")
  note.setAttribute("role", "status")
  const submit = Object.assign(el("button", "act strong", before ? "From now on" : "OK", el("kbd", "", "Enter")), { type: "submit" })
  const all = titled(button("act", "correct", "Also correct what I signed"), `Records signed ${before} show the new name, with a note that they were signed ${before}`)
  const form = el("form", "sign", el("label", "", "You sign as ", field), el("div", "answers", submit, before ? all : null), el("div", "foot", note))
  const close = () => {
    s.form = null
    form.remove()
    s.root.firstChild.focus()
  }
  const take = (correct) => {
    const name = field.value.trim()
    note.textContent = nameProblem(s, name)
    if (note.textContent) return field.focus()
    if (name !== before) send(s, { kind: "author", name, correct })
    // What a correction changes may have to be asked first, so that it is the server's to say.
    if (!correct) named(s, name)
    close()
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    take(false)
  })
  all.addEventListener("click", () => take(true))
  form.addEventListener("keydown", (event) => event.key === "Escape" && close())
  form.addEventListener("focusout", ({ relatedTarget }) => relatedTarget instanceof Node && !form.contains(relatedTarget) && s.form && close())
  return form
}

// Two people become one by a click of its own, never by a key that was meant for something else.
const askInUse = (s) => {
  if (s.inUse?.words === s.data.in_use) return
  s.inUse?.node?.remove()
  s.inUse = { words: s.data.in_use }
  if (!s.data.in_use) return
  const answers = [
    button("act", "join", "These are mine too"),
    button("act", "apart", "Use this name from now on, leave those as they are"),
    button("act strong", "keep", "No, keep my name", el("kbd", "", "Esc")),
  ]
  const node = el("div", "sign", el("b", "", "Is this you?"), el("p", "muted", s.data.in_use), el("div", "answers", ...answers))
  node.setAttribute("role", "dialog")
  node.setAttribute("aria-label", "Is this you?")
  for (const each of answers) each.addEventListener("click", () => answerInUse(s, each.dataset.action))
  s.inUse.node = node
  s.root.append(node)
  popUp(node, s.root.firstChild.getBoundingClientRect())
  answers.at(-1)?.focus()
}

const answerInUse = (s, kind) => {
  send(s, { kind })
  s.inUse.node.remove()
  s.inUse.node = null
}

const whoNode = (s) => {
  const { name } = s.data
  if (s.data.fixed) return titled(el("span", "who", "as ", el("b", "", name)), name)
  const node = titled(button("who", "who", ...(name ? ["as ", el("b", "", name)] : ["no name yet"])),
                      name ? `Your decisions are signed ${name}; click to change` : "You will be asked before your first record; click to enter your name now")
  node.addEventListener("click", () => rename(s))
  return node
}

const toggle = (s) => {
  const on = !s.data.blind
  keep(s.data.cookies[1], on ? "1" : "0")
  s.data = { ...s.data, blind: on }
  draw(s)
  send(s, { kind: "blind", on })
}

export const draw = (s) => {
  const focused = focusedIn(s)?.dataset.action
  const blind = button("blind", "blind", el("span", "track"), "Blind", el("kbd", "", "b"))
  titled(blind, "Hides what reviewers and other people say about a submission until you have decided")
  blind.setAttribute("role", "switch")
  blind.setAttribute("aria-checked", String(s.data.blind))
  blind.setAttribute("aria-label", "Blind mode")
  blind.addEventListener("click", () => toggle(s))
  arrange(s.root, [whoNode(s), blind, s.form, s.dialog, s.inUse?.node].filter(Boolean))
  if (focused) s.root.querySelector(`[data-action=${focused}]`)?.focus()
}

export default mounted((s) => {
  if (!s.data.name && s.given) s.data = { ...s.data, name: s.given }
  if (s.data.name && !s.data.fixed) keep(s.data.cookies[0], s.data.name)
  markUnsigned(s)
  draw(s)
  askInUse(s)
}, (made) => {
  listen(made, document, "areachair:who", () => rename(made))
  made.named = (name) => named(made, name)
  startSigning(made)
  listen(made, window, "keydown", (event) => {
    if (!plainKey(event)) return
    if (event.key === "Escape" && made.inUse?.node) {
      swallow(event)
      answerInUse(made, "keep")
    } else if (event.key === "b") {
      event.preventDefault()
      toggle(made)
    }
  }, true)
})
