// Who signs is asked once, at the place where the first record is made. Only a deliberate key or click answers: a person who goes
// on typing answers nothing, and what is typed is no name unless its field was entered.
const QUIET = 700
const WIDTH = 340

const nameProblem = (s, name) => {
  const length = [...name.normalize("NFC")].length
  if (!name) return "Type your name first."
  if (length > s.data.longest) return `A name has at most ${s.data.longest} characters; this one has ${length}.`
  return /[\p{C}\p{Zl}\p{Zp}]/u.test(name) ? "The name holds characters that cannot be seen; type it anew." : ""
}

const nameField = (label) => {
  const field = Object.assign(el("input"), { type: "text", autocomplete: "off", spellcheck: false })
  field.setAttribute("aria-label", label)
  return field
}

// Nobody has signed here yet: what components send then waits (shared.js).
const markUnsigned = (s) => {
  if (s.data.name) delete document.documentElement.dataset.unsigned
  else document.documentElement.dataset.unsigned = ""
}

const isInside = (s) => s.dialog.contains(s.root.getRootNode().activeElement)

const closeDialog = (s, name) => {
  const { waiting, meanwhile, dialog } = s
  s.dialog = null
  delete document.documentElement.dataset.signing
  dialog.remove()
  // What was typed belongs to the first one that waits.
  waiting.forEach((release, place) => release(name, place ? "" : meanwhile))
}

const answer = (s, name) => {
  const given = name.trim()
  const problem = nameProblem(s, given)
  if (problem) {
    s.dialog.querySelector(".note").textContent = problem
    return s.dialog.querySelector("input")?.focus()
  }
  s.named(given)
  closeDialog(s, given)
}

const typeName = (s) => {
  const field = nameField("Your name")
  const form = el("form", "", field, Object.assign(el("button", "act strong", "Sign", el("kbd", "", "⏎")), { type: "submit" }))
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    answer(s, field.value)
  })
  s.dialog.querySelector(".answers").replaceChildren(form)
  return field
}

const openDialog = (s, { at, release }) => {
  if (s.dialog) return s.waiting.push(release)
  Object.assign(s, { waiting: [release], meanwhile: "", quietSince: Date.now() })
  const { offered } = s.data
  const words = offered ? "It waits here until you say so; this browser asks once." : "It waits here for a name; this browser asks once."
  const not = button("act", "not", "Not now", el("kbd", "", "Esc"))
  s.dialog = el("div", "sign", el("b", "", "Who signs this?"), el("p", "muted", words), el("div", "answers"), el("div", "foot", el("span", "note"), not))
  s.dialog.setAttribute("role", "dialog")
  s.dialog.setAttribute("aria-label", "Who signs this?")
  s.dialog.querySelector(".note").setAttribute("role", "status")
  not.addEventListener("click", () => closeDialog(s, ""))
  if (offered) {
    const as = button("act strong", "sign", "Sign as ", el("b", "", offered), el("kbd", "", "⏎"))
    const other = button("act", "other", "Another name…")
    as.addEventListener("click", () => answer(s, offered))
    other.addEventListener("click", () => typeName(s).focus())
    s.dialog.querySelector(".answers").append(as, other)
  } else typeName(s).placeholder = "Click, or press Tab, and type your name"
  s.root.append(s.dialog)
  document.documentElement.dataset.signing = ""
  popUp(s.dialog, at)
}

// Above everything, below a place or over it, and without taking the focus from what is being typed.
const popUp = (node, at) => {
  node.popover = "manual"
  node.showPopover()
  const { innerWidth: width, innerHeight: height } = window
  if (at.bottom + 16 + node.offsetHeight < height) node.style.top = `${Math.max(8, at.bottom + 8)}px`
  else node.style.bottom = `${Math.max(8, Math.min(height - at.top + 8, height - node.offsetHeight - 8))}px`
  node.style.left = `${Math.max(8, Math.min(at.left, width - WIDTH - 8))}px`
}

const onSignKey = (s, event) => {
  if (!s.dialog || event.isComposing) return
  const inside = isInside(s)
  const letter = event.key.length === 1 && !(event.ctrlKey || event.metaKey || event.altKey)
  if (event.key === "Escape") closeDialog(s, "")
  else if (inside) return event.stopImmediatePropagation()
  else if (event.key === "Enter") {
    if (s.data.offered && Date.now() - s.quietSince > QUIET) answer(s, s.data.offered)
  } else if (event.key === "Tab") s.dialog.querySelector("input, button").focus()
  else if (letter) {
    s.quietSince = Date.now()
    // A field that has the focus takes it; elsewhere it is kept for who waits.
    if (typing(event)) return
    s.meanwhile += event.key
  } else return
  event.preventDefault()
  event.stopImmediatePropagation()
}

const startSigning = (s) => {
  listen(s, document, "areachair:sign", (event) => {
    event.preventDefault()
    openDialog(s, event.detail)
  })
  listen(s, window, "keydown", (event) => onSignKey(s, event), true)
  // A person who goes elsewhere leaves it unsigned.
  listen(s, window, "popstate", () => s.dialog && closeDialog(s, ""))
  s.unlisten.push(() => s.dialog && closeDialog(s, ""))
}
