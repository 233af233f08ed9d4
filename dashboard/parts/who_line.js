// Cookies are written here: only the browser can, and the next visit begins with them.
const keep = (name, value) => {
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=31536000; samesite=lax`
}

const rename = (s) => {
  if (s.data.fixed) return
  s.asking = true
  draw(s)
  s.root.querySelector("input").select()
}

const nameForm = (s) => {
  const field = el("input")
  field.value = s.data.name
  field.maxLength = 80
  field.setAttribute("aria-label", "Your name")
  const form = el("form", "", el("label", "muted", "You are"), field, el("button", "act", "OK"))
  const close = () => {
    s.asking = false
    draw(s)
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    const name = field.value.trim()
    if (name) send(s, { kind: "author", name })
    if (name) s.data = { ...s.data, name, shown: name }
    close()
    tell("named", { name })
  })
  field.addEventListener("keydown", (event) => event.key === "Escape" && close())
  return form
}

const whoNode = (s) => {
  const words = ["as ", el("b", "", s.data.shown), s.data.given || s.data.fixed ? "" : "?"]
  if (s.data.fixed) return el("span", "who", ...words)
  const node = titled(button("who", "who", ...words), `Your decisions are signed ${s.data.shown}; click to change`)
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

const draw = (s) => {
  const focused = s.root.getRootNode().activeElement?.dataset.action
  const blind = button("blind", "blind", el("span", "track"), "Blind", el("kbd", "", "b"))
  titled(blind, "Hides what reviewers and other people say of a submission until you have decided it")
  blind.setAttribute("role", "switch")
  blind.setAttribute("aria-checked", String(s.data.blind))
  blind.setAttribute("aria-label", "Blind mode")
  blind.addEventListener("click", () => toggle(s))
  s.root.replaceChildren(s.asking ? nameForm(s) : whoNode(s), blind)
  if (focused) s.root.querySelector(`[data-action=${focused}]`)?.focus()
}

export default function (component) {
  if (!component.data) return
  const s = instance(component, (made) => {
    listen(made, document, "areachair:who", () => rename(made))
    listen(made, window, "keydown", (event) => {
      if (!plainKey(event) || event.key !== "b") return
      event.preventDefault()
      toggle(made)
    }, true)
  })
  if (s.data.given && !s.data.fixed) keep(s.data.cookies[0], s.data.name)
  if (!s.asking) draw(s)
  return forget(component)
}
