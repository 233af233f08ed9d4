// A text in which names and code stand in backticks, these as code; and a name that is cut in its middle where room is short.
import { button, el } from "./shared.js"

const MOST_READ = 5000
const CODE = /(`+)(?!`)([^]*?[^`])\1(?!`)/

/** @type {(words: string) => (string | HTMLElement)[]} */
export const prose = (words) => {
  /** @type {(string | HTMLElement)[]} */
  const nodes = []
  // A long one is not searched: its marks may be many, and none of them closed.
  if (words.length > MOST_READ) return [words]
  for (let rest = words; rest;) {
    const found = CODE.exec(rest)
    nodes.push(found ? rest.slice(0, found.index) : rest)
    if (found) nodes.push(el("code", "mono", found[2].trim()))
    rest = found ? rest.slice(found.index + found[0].length) : ""
  }
  return nodes
}

const TAIL = 13

/** @type {(cls: string, name: string) => HTMLElement} */
export const cutName = (cls, name) => {
  const at = name.length > 2 * TAIL ? name.length - TAIL : name.length
  return el("span", `cut ${cls}`, el("span", "head", name.slice(0, at)), name.slice(at) && el("span", "tail", name.slice(at)))
}

// Two lines of a long text, and the rest behind "more"; `open` remembers which are open.
/** @type {(node: HTMLElement, open: Set<string>, name: string) => HTMLElement} */
export const moreOf = (node, open, name) => {
  const more = button("more-of", "more", "")
  const draw = () => {
    node.classList.toggle("clamped", !open.has(name))
    more.textContent = open.has(name) ? "less" : "more"
  }
  more.addEventListener("click", () => {
    open.delete(name) || open.add(name)
    draw()
  })
  draw()
  return el("div", "", node, more)
}
