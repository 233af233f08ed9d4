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

// The name is known from now on, whatever was on its way from Python meanwhile.
const named = (s, name) => {
  s.given = name
  s.data = { ...s.data, name }
  keep(s.data.cookies[0], name)
  markUnsigned(s)
  if (!s.asking) draw(s)
}

const nameForm = (s) => {
  const field = nameField("Your name")
  field.value = s.data.name
  const before = s.data.name
  const note = el("span", "note")
  note.setAttribute("role", "status")
  const submit = Object.assign(el("button", "act", before ? "From now on" : "OK"), { type: "submit" })
  const all = titled(button("act", "correct", "Also before"), `Shows what is signed ${before} under the new name; the old one stays known`)
  const form = el("form", "", el("label", "muted", "You are"), field, submit, before ? all : null, note)
  const close = () => {
    s.asking = false
    draw(s)
  }
  const take = (correct) => {
    const name = field.value.trim()
    note.textContent = nameProblem(s, name)
    if (note.textContent) return field.focus()
    if (name !== before) send(s, { kind: "author", name, correct })
    named(s, name)
    close()
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    take(false)
  })
  all.addEventListener("click", () => take(true))
  form.addEventListener("keydown", (event) => event.key === "Escape" && close())
  return form
}

const whoNode = (s) => {
  const { name } = s.data
  if (s.data.fixed) return titled(el("span", "who", "as ", el("b", "", name)), name)
  const node = titled(button("who", "who", ...(name ? ["as ", el("b", "", name)] : ["no name yet"])),
                      name ? `Your decisions are signed ${name}; click to change` : "You are asked before your first record; click to say who you are now")
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
  arrange(s.root, [s.asking ? nameForm(s) : whoNode(s), blind, ...(s.dialog ? [s.dialog] : [])])
  if (focused) s.root.querySelector(`[data-action=${focused}]`)?.focus()
}

export default function (component) {
  if (!component.data) return
  const s = instance(component, (made) => {
    listen(made, document, "areachair:who", () => rename(made))
    made.named = (name) => named(made, name)
    startSigning(made)
    listen(made, window, "keydown", (event) => {
      if (!plainKey(event) || event.key !== "b") return
      event.preventDefault()
      toggle(made)
    }, true)
  })
  if (!s.data.name && s.given) s.data = { ...s.data, name: s.given }
  if (s.data.name && !s.data.fixed) keep(s.data.cookies[0], s.data.name)
  markUnsigned(s)
  if (!s.asking) draw(s)
  return forget(component)
}
