// Shares as dots with their intervals. Every line leads somewhere, and what is drawn stands beside it as a figure.
import { attr, button, el, link, mounted, send, titled } from "./shared.js"
import { reviewerMark, signNode } from "./signs.js"

/** @type {(value: number) => string} */
const percent = (value) => `${value * 100}%`

const dotNodes = (dot) => {
  const [low, at, high] = dot.at
  const cls = `${dot.then ? "then" : "now"}${dot.few ? " few" : ""}`
  const range = el("span", `range ${cls}`)
  range.style.left = percent(low)
  range.style.width = percent(Math.max(0, high - low))
  // The figure beside it leads there as well, so keys need not pass here.
  const node = dot.href ? attr(link(`dot ${cls}`, dot.href), { tabindex: "-1" }) : el("span", `dot ${cls}`)
  node.style.left = percent(at)
  return [range, attr(titled(node, dot.words), { "aria-label": dot.words, ...(dot.href ? {} : { role: "img" }) })]
}

const track = (scale, dots) => {
  const node = el("span", `track${dots.length > 1 ? " two" : ""}`, ...dots.flatMap(dotNodes))
  for (const [at] of scale.ticks) {
    const line = el("span", at === scale.zero ? "grid zero" : "grid")
    line.style.left = percent(at)
    node.prepend(line)
  }
  return node
}

const titleNode = (s, line) => {
  if (!line.key) return el("span", "title", line.mark && reviewerMark({ mark: line.mark, reviewer: line.title }), titled(el("span", "cut", line.title), line.title))
  const opener = attr(button("title opener", "open", signNode("fold", ""), el("span", "cut", line.title)), { "aria-expanded": String(line.open) })
  opener.addEventListener("click", () => send(s, { kind: "open", key: line.open ? "" : line.key }))
  return opener
}

const figure = (line) => {
  const href = line.dots[0]?.href
  return href ? attr(link("value", href, line.value), { "aria-label": line.dots[0].words }) : el("span", "value", line.value)
}

const aboutNode = ([words, code, href]) => el("span", "about", titled(link("place cut", href, words), words), code && titled(el("code", "cut", code), code))

const lineNodes = (s, scale, line, below = false) => {
  const more = below && line.dots[0]?.href ? link("more leads", line.dots[0].href, line.more) : el("span", `more${line.sure ? " sure" : ""}`, line.more)
  const node = el("li", `${below ? "below" : ""}${line.open ? " open" : ""}`, titleNode(s, line), track(scale, line.dots), figure(line), more)
  if (line.about) node.append(aboutNode(line.about))
  return [node, ...line.below.flatMap((each) => lineNodes(s, scale, each, true))]
}

const axis = (scale) => {
  const node = el("span", "track")
  for (const [at, words] of scale.ticks) {
    const tick = el("span", "tick", words)
    tick.style.left = percent(at)
    node.append(tick)
  }
  return attr(el("div", "axis line", el("span", ""), node, el("span", ""), el("span", "")), { "aria-hidden": "true" })
}

const legendNode = (legend) => el("div", "legend", ...legend.map((words, place) => el("span", "", el("span", `key ${place ? "then" : "now"}`), words)))

const scaleNodes = (s, scale) => {
  const heads = el("div", "heads line", el("span", "", scale.heads[0]), el("span", ""), ...scale.heads.slice(1).map((words) => el("span", "", words)))
  const list = attr(el("ul", "", ...scale.lines.flatMap((line) => lineNodes(s, scale, line))), { "aria-label": [s.data.title, ...scale.heads].filter(Boolean).join(", ") })
  return [scale.legend.length ? legendNode(scale.legend) : null, scale.heads.some(Boolean) ? heads : null, list, axis(scale)]
}

export default mounted((s) => {
  const focused = /** @type {ShadowRoot} */ (s.root.getRootNode()).activeElement?.closest(".opener")?.textContent
  s.root.replaceChildren(...s.data.scales.flatMap((scale) => scaleNodes(s, scale)).filter((node) => node !== null))
  // A line that was opened keeps the focus, so that the next key closes it.
  if (focused) [...s.root.querySelectorAll(".opener")].find((node) => node.textContent === focused)?.focus()
})
