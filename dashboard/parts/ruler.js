// The whole file at one look beside the code: findings in the colours of their severity, what is seen at the moment, and a click goes there.
import { isFolded } from "./cards.js"
import { LONG_SPAN, bring } from "./code_view.js"
import { RANK } from "./gutter.js"
import { button, el, listen, titled } from "./shared.js"

const tickOf = (s, card) => {
  const tick = titled(button(`tick ${card.severity ?? "outcome"}`, "select"), `Line ${card.line}: ${card.message || card.claim}`)
  const share = 100 / Math.max(1, s.rows.length)
  tick.dataset.key = card.key
  tick.tabIndex = -1
  tick.setAttribute("aria-label", `Line ${card.line}, ${card.severity ?? "run"}`)
  tick.style.top = `${share * (card.line - 1)}%`
  const lines = card.end - card.line < LONG_SPAN ? card.end - card.line + 1 : 1
  tick.style.height = `max(4px, ${share * lines}%)`
  return tick
}

export const drawRuler = (s, cards) => {
  const open = cards.filter((card) => card.line && !isFolded(card)).reverse()
  // The worst comes last and lies on top.
  open.sort((one, other) => RANK[other.severity] - RANK[one.severity])
  s.ruler.replaceChildren(s.view, ...open.map((card) => tickOf(s, card)))
  watchView(s)
}

// Lines of chunks that the browser has not laid out are not asked for their place.
export const linesInView = (s) => {
  const box = s.scroll.getBoundingClientRect()
  const within = (node) => {
    const { top, bottom } = node.getBoundingClientRect()
    return bottom > box.top && top < box.bottom
  }
  const rows = [...s.code.children].filter(within).flatMap((chunk) => [...chunk.children].filter((row) => row.dataset.line && within(row)))
  return rows.length ? [+rows[0].dataset.line, +rows.at(-1).dataset.line] : null
}

export const watchView = (s) => {
  if (s.looking) return
  s.looking = requestAnimationFrame(() => {
    s.looking = null
    const seen = linesInView(s)
    s.view.hidden = !seen || s.rows.length < 2
    if (!seen) return
    s.view.style.top = `${(100 * (seen[0] - 1)) / s.rows.length}%`
    s.view.style.height = `${(100 * (seen[1] - seen[0] + 1)) / s.rows.length}%`
  })
}

const goAlong = (s, event) => {
  const box = s.ruler.getBoundingClientRect()
  const row = s.rows[Math.min(s.rows.length - 1, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * s.rows.length)))]
  if (row) bring(s, row, 2)
}

export const startRuler = (s) => {
  s.view = el("div", "view")
  listen(s, s.scroll, "scroll", () => watchView(s))
  const size = new ResizeObserver(() => watchView(s))
  size.observe(s.scroll)
  s.unlisten.push(() => size.disconnect())
  listen(s, s.ruler, "pointerdown", (event) => {
    if (event.target.closest(".tick")) return
    s.ruler.setPointerCapture(event.pointerId)
    goAlong(s, event)
  })
  listen(s, s.ruler, "pointermove", (event) => s.ruler.hasPointerCapture(event.pointerId) && goAlong(s, event))
}
