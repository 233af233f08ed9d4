// Who signs is asked once, at the place where the first record is made. Only a deliberate key or click answers: a person who goes
// on typing answers nothing, and what is typed is no name unless its field was entered.
import { draw } from "./identity_bar.js"
import { between, button, el, focusedIn, holdKey, isText, listen, swallow, tell, typing, withControl } from "./shared.js"

const QUIET = 700
const WIDTH = 340

// As the store's `checked_name`: no space but the plain one, and nothing that cannot be seen.
export const nameProblem = (s, given) => {
  const name = given.normalize("NFC").trim()
  const length = [...name].length
  if (!name) return "Type your name first."
  if (length > s.data.longest) return `A name has at most ${s.data.longest} characters; this one has ${length}.`
  return /[\p{C}\p{Z}]/u.test(name.replaceAll(" ", "")) ? "The name contains invisible characters; type it again." : ""
}

export const nameField = (label) => {
  const field = Object.assign(el("input"), { type: "text", autocomplete: "off", spellcheck: false })
  field.setAttribute("aria-label", label)
  return field
}

// Nobody has signed here yet: what components send then waits (shared.js).
export const markUnsigned = (s) => {
  if (s.data.name) delete document.documentElement.dataset.unsigned
  else document.documentElement.dataset.unsigned = ""
}

const isInside = (s) => s.dialog.contains(focusedIn(s))

// The server has no name: this browser forgets the one that it gave.
const forgetName = (s) => {
  s.given = ""
  s.data = { ...s.data, name: "" }
  document.cookie = `${s.data.cookies[0]}=; path=/; max-age=0; samesite=lax`
  markUnsigned(s)
  draw(s)
}

// The name that another tab of this browser asked for meanwhile.
const nameElsewhere = (s) => {
  const [cookie] = s.data.cookies
  const kept = document.cookie.split("; ").find((pair) => pair.startsWith(`${cookie}=`))?.slice(cookie.length + 1) ?? ""
  try {
    const name = decodeURIComponent(kept)
    return nameProblem(s, name) ? "" : name
  } catch {
    return ""
  }
}

const closeDialog = (s, name) => {
  const { waiting, dialog } = s
  s.dialog = null
  delete document.documentElement.dataset.signing
  dialog.remove()
  for (const release of waiting) release(name)
  // What was typed meanwhile came back with the record, or is for the next submission; else it is for nobody.
  if (between()) tell("held")
  else window.areachairHeld.splice(0)
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
  const form = el("form", "", field, Object.assign(el("button", "act strong", "Sign", el("kbd", "", "Enter")), { type: "submit" }))
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    answer(s, field.value)
  })
  s.dialog.querySelector(".answers").replaceChildren(form)
  return field
}

const openDialog = (s, { at, problem, release }) => {
  if (s.dialog) return s.waiting.push(release)
  const elsewhere = nameElsewhere(s)
  if (elsewhere) {
    s.named(elsewhere)
    return release(elsewhere)
  }
  Object.assign(s, { waiting: [release], at, quietSince: Date.now() })
  const { offered } = s.data
  const words = offered ? "Nothing is saved until you answer; this browser asks once." : "Nothing is saved until you enter a name; this browser asks once."
  const not = button("act not", "not", "Not now", el("kbd", "", "Esc"))
  s.dialog = el("div", "sign", el("b", "", "Who signs this?"), el("p", "muted", words), el("div", "answers"), el("div", "foot", el("span", "note", problem), not))
  s.dialog.setAttribute("role", "dialog")
  s.dialog.setAttribute("aria-label", "Who signs this?")
  s.dialog.querySelector(".note").setAttribute("role", "status")
  not.addEventListener("click", () => closeDialog(s, ""))
  if (offered) {
    const as = button("act strong", "sign", "Sign as ", el("b", "", offered), el("kbd", "", "Enter"))
    const other = button("act", "other", "Another name…")
    as.addEventListener("click", () => answer(s, offered))
    other.addEventListener("click", () => typeName(s).focus())
    s.dialog.querySelector(".answers").append(as, other)
  } else typeName(s).placeholder = "Click, or press Tab, and type your name"
  s.root.append(s.dialog)
  document.documentElement.dataset.signing = ""
  popUp(s.dialog, at())
  // Once the record is drawn as one that waits.
  queueMicrotask(() => s.dialog && moveTo(s.dialog, at()))
}

// Above everything, below a place or over it, and without taking the focus from what is being typed.
export const popUp = (node, at) => {
  node.popover = "manual"
  node.showPopover()
  moveTo(node, at)
}

const moveTo = (node, at) => {
  const { innerWidth: width, innerHeight: height } = window
  const most = Math.max(8, height - node.offsetHeight - 8)
  const below = at.bottom + 16 + node.offsetHeight < height
  node.style.top = `${Math.min(most, Math.max(8, below ? at.bottom + 8 : at.top - 8 - node.offsetHeight))}px`
  node.style.left = `${Math.max(8, Math.min(at.left, width - WIDTH - 8))}px`
}

const onSignKey = (s, event) => {
  if (!s.dialog || event.isComposing) return
  if (event.key === "Escape") closeDialog(s, "")
  else if (isInside(s)) return event.stopImmediatePropagation()
  else if (event.key === "Enter" && !event.shiftKey) {
    if (s.data.offered && Date.now() - s.quietSince > QUIET) answer(s, s.data.offered)
  } else if (event.key === "Tab") s.dialog.querySelector("input, button").focus()
  else if (isText(event) && !withControl(event)) {
    s.quietSince = Date.now()
    // A field that has the focus takes it; elsewhere it is kept for who waits.
    return typing(event) ? undefined : holdKey(event)
  } else return
  swallow(event)
}

export const startSigning = (s) => {
  listen(s, document, "areachair:sign", (event) => {
    event.preventDefault()
    openDialog(s, event.detail)
  })
  listen(s, document, "areachair:nameless", () => forgetName(s))
  listen(s, window, "keydown", (event) => onSignKey(s, event), true)
  for (const move of ["scroll", "resize"]) listen(s, window, move, () => s.dialog && moveTo(s.dialog, s.at()), true)
  // A person who goes elsewhere leaves it unsigned.
  listen(s, window, "popstate", () => s.dialog && closeDialog(s, ""))
  s.unlisten.push(() => s.dialog && closeDialog(s, ""))
}
