// Which hints were read is this browser's own affair.
import { button, el, mounted, titled } from "./shared.js"

const SEEN = "areachair:hints"

const seen = () => {
  try {
    return new Set(JSON.parse(localStorage.getItem(SEEN) ?? "[]"))
  } catch {
    return null
  }
}

const remember = (names) => {
  try {
    localStorage.setItem(SEEN, JSON.stringify([...(seen() ?? []), ...names]))
  } catch {
    // A browser that keeps nothing is shown nothing either.
  }
}

const draw = (s) => {
  const known = seen()
  const hint = known && !known.has("skip") && s.data.hints.find((one) => !known.has(one.name))
  if (!hint) return s.root.replaceChildren()
  const read = button("", "read", "Got it")
  const skip = button("", "skip", "No hints")
  const done = (name) => () => {
    remember([name])
    draw(s)
  }
  read.addEventListener("click", done(hint.name))
  skip.addEventListener("click", done("skip"))
  const line = el("div", "hint", titled(el("span", "words", hint.words), hint.words), read, skip)
  line.setAttribute("role", "note")
  s.root.replaceChildren(line)
}

export default mounted(draw)
