// A real modal dialog: the browser keeps the focus inside it and closes it with Escape.
import { button, el, focusedIn, listen, mounted, navigate, plainKey, titled } from "./shared.js"
import { themeChoice } from "./theme_choice.js"

const PAGES = { i: "./", t: "trends", r: "reviewers", s: "settings" }
const PATIENCE = 1200

const groupNode = ([title, keys]) => {
  const list = el("dl")
  for (const [names, does] of keys) list.append(el("dt", "", ...names.map((name) => el("kbd", "", name))), el("dd", "", does))
  return el("section", "group", el("h3", "", title), list)
}

const draw = (s) => {
  const close = button("act", "close", "Close", el("kbd", "", "Esc"))
  close.addEventListener("click", () => s.sheet.close())
  const note = el("p", "muted note", "Keys are off while you type; Esc leaves the field. Every button shows its key.")
  const look = el("div", "look", el("h3", "", "Light or dark"), themeChoice())
  s.sheet.replaceChildren(el("div", "top", el("h2", "", "Keys"), close), el("div", "groups", ...s.data.groups.map(groupNode)), look, note)
}

const show = (s) => {
  s.sheet.showModal()
  document.documentElement.dataset.sheet = "open"
}

// `g` waits a moment for the letter of a page.
const onKey = (s, event) => {
  if (s.sheet.open) {
    // Nothing below may act on a key that is meant for the sheet.
    event.stopImmediatePropagation()
    if (event.key === "?") s.sheet.close()
    // The browser would let the focus go on to its own bar, and from there come back to the page behind.
    if (event.key === "Tab") {
      event.preventDefault()
      const all = [...s.sheet.querySelectorAll("button")]
      const at = all.indexOf(focusedIn(s))
      all.at((at + (event.shiftKey ? -1 : 1)) % all.length).focus()
    }
    return
  }
  if (!plainKey(event)) return
  const page = Date.now() - (s.led ?? 0) < PATIENCE ? PAGES[event.key] : undefined
  s.led = event.key === "g" ? Date.now() : 0
  if (page) navigate(page)
  else if (event.key === "?") show(s)
  else if (event.key !== "g") {
    // Streamlit would run the page anew at r and offer to clear its cache at c.
    if (/^[cr]$/i.test(event.key)) event.stopPropagation()
    return
  }
  event.preventDefault()
  event.stopImmediatePropagation()
}

export default mounted(draw, (made) => {
  made.open = titled(button("open", "help", "?"), "Keys of this page (?)")
  made.open.setAttribute("aria-label", "Keys of this page")
  made.open.setAttribute("aria-keyshortcuts", "?")
  made.sheet = el("dialog")
  made.sheet.setAttribute("aria-label", "Keys of this page")
  made.open.addEventListener("click", () => show(made))
  made.sheet.addEventListener("close", () => delete document.documentElement.dataset.sheet)
  made.sheet.addEventListener("click", (event) => event.target === made.sheet && made.sheet.close())
  made.root.replaceChildren(made.open, made.sheet)
  listen(made, window, "keydown", (event) => onKey(made, event), true)
})
