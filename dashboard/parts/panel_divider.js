// The line between code and panel: dragged, or moved by the arrow keys; a double click gives the width back to the page.
import { attr, listen, mounted } from "./shared.js"

const WIDTH = "areachair:panel-width"
const LEAST = 360
const STEP = 24
const CODE = 420

const panel = () => document.querySelector(".st-key-zone-panel")?.parentElement
const most = () => Math.max(LEAST, window.innerWidth - CODE - 260)

const keep = (width) => {
  try {
    width ? localStorage.setItem(WIDTH, String(width)) : localStorage.removeItem(WIDTH)
  } catch {
    // Without it the width lasts as long as the page.
  }
}

const put = (s, width) => {
  const wanted = width && Math.round(Math.min(most(), Math.max(LEAST, width)))
  const { style } = document.documentElement
  wanted ? style.setProperty("--panel", `${wanted}px`) : style.removeProperty("--panel")
  const now = wanted || Math.round(widthNow())
  attr(s.line, { "aria-valuenow": String(now), "aria-valuemin": String(LEAST), "aria-valuemax": String(most()) })
  return wanted
}

const widthNow = () => panel()?.getBoundingClientRect().width ?? LEAST

const onKey = (s, event) => {
  const by = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key]
  const to = event.key === "Home" ? most() : event.key === "End" ? LEAST : by && widthNow() + by
  if (!to) return
  event.preventDefault()
  keep(put(s, to))
}

export default mounted((s) => void s, (made) => {
  made.line = attr(made.root, { role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the panel", tabindex: "0" })
  made.line.title = "Drag, or use the arrow keys; double-click resets"
  put(made, +(localStorage.getItem(WIDTH) ?? 0))
  listen(made, made.line, "pointerdown", (event) => {
    event.preventDefault()
    made.line.setPointerCapture(event.pointerId)
    made.from = widthNow() + event.clientX
    made.line.focus({ preventScroll: true })
  })
  listen(made, made.line, "pointermove", (event) => made.line.hasPointerCapture(event.pointerId) && (made.width = put(made, made.from - event.clientX)))
  listen(made, made.line, "pointerup", () => {
    if (made.width) keep(made.width)
    made.width = 0
  })
  listen(made, made.line, "dblclick", () => {
    put(made, 0)
    keep(0)
  })
  listen(made, made.line, "keydown", (event) => onKey(made, event))
})
