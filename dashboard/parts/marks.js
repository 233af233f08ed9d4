// Signs as shapes, so that no font changes them: octagon, triangle and ring are severities; a filled ✓ or ✗ and a hollow ? are
// fact checks, and nothing else.
import { attr, titled } from "./shared.js"

const SVG = "http://www.w3.org/2000/svg"
const STROKE = { fill: "none", stroke: "currentColor", "stroke-linecap": "round", "stroke-linejoin": "round" }
const CUT = { ...STROKE, stroke: "var(--st-background-color)", "stroke-width": "1.7" }
const DISC = ["circle", { cx: "7", cy: "7", r: "6", fill: "currentColor" }]

/** @type {Record<string, [string, Record<string, string>][]>} */
const SHAPES = {
  blocker: [["path", { d: "M4.5 1h5L13 4.5v5L9.5 13h-5L1 9.5v-5z", fill: "currentColor" }]],
  major: [["path", { ...STROKE, d: "M7 2l5.6 10H1.4z", fill: "currentColor" }]],
  minor: [["circle", { ...STROKE, cx: "7", cy: "7", r: "4.2", "stroke-width": "1.5" }]],
  confirmed: [/** @type {any} */ (DISC), ["path", { ...CUT, d: "M4.2 7.2l2 2 3.6-4.2" }]],
  refuted: [/** @type {any} */ (DISC), ["path", { ...CUT, d: "M4.9 4.9l4.2 4.2M9.1 4.9L4.9 9.1" }]],
  unverified: [["circle", { ...STROKE, cx: "7", cy: "7", r: "5.4", "stroke-width": "1.2" }],
               ["path", { ...STROKE, d: "M5.4 5.6a1.65 1.65 0 1 1 2.3 1.5c-.5.24-.7.5-.7 1M7 9.9v.05", "stroke-width": "1.3" }]],
  passes: [["circle", { ...STROKE, cx: "7", cy: "7", r: "5.6", "stroke-width": "1.3" }], ["path", { ...STROKE, d: "M4.4 7.1l1.9 1.9 3.4-4", "stroke-width": "1.4" }]],
  open: [["circle", { ...STROKE, cx: "7", cy: "7", r: "5", "stroke-width": "1.3", "stroke-dasharray": "2 2.2" }]],
  viewed: [["path", { ...STROKE, d: "M2.5 7.5l3 3 6-7", "stroke-width": "1.6" }]],
}

/** @type {(name: string, label?: string) => HTMLElement} */
export const markNode = (name, label = name) => {
  const svg = document.createElementNS(SVG, "svg")
  svg.setAttribute("viewBox", "0 0 14 14")
  svg.setAttribute("aria-hidden", "true")
  for (const [tag, attributes] of SHAPES[name] ?? []) {
    const shape = document.createElementNS(SVG, tag)
    for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value)
    svg.append(shape)
  }
  const node = document.createElement("span")
  node.className = `shape is-${name}`
  node.append(svg)
  return label ? titled(attr(node, { role: "img", "aria-label": label }), label) : node
}
