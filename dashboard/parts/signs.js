// The signs of the desk, each with one meaning, drawn as shapes so that no font changes them; whatever else is said in words.
import { attr, el, titled } from "./shared.js"

const SVG = "http://www.w3.org/2000/svg"
const LINE = { fill: "none", stroke: "currentColor", "stroke-width": "1.5", "stroke-linecap": "round", "stroke-linejoin": "round" }
const FILL = { fill: "currentColor" }
const CUT = { ...LINE, stroke: "var(--st-background-color)", "stroke-width": "1.7" }

/** @type {(d: string, look?: Record<string, string>) => [string, Record<string, string>]} */
const path = (d, look = LINE) => ["path", { d, ...look }]
/** @type {(r: string, look?: Record<string, string>) => [string, Record<string, string>]} */
const ring = (r, look = LINE) => ["circle", { cx: "7", cy: "7", r, ...look }]

/** @type {Record<string, [string, Record<string, string>][]>} */
const SIGNS = {
  // Severity.
  blocker: [path("M4.5 1h5L13 4.5v5L9.5 13h-5L1 9.5v-5z", FILL)],
  major: [path("M7 1.6l5.8 10.6H1.2z", { ...LINE, fill: "currentColor", "stroke-width": "1" })],
  minor: [ring("4.2")],
  // Fact check.
  confirmed: [ring("6", FILL), path("M4.2 7.2l2 2 3.6-4.2", CUT)],
  refuted: [ring("6", FILL), path("M4.9 4.9l4.2 4.2M9.1 4.9L4.9 9.1", CUT)],
  unverified: [ring("5.5"), path("M5.4 5.6a1.65 1.65 0 1 1 2.3 1.5c-.5.24-.7.5-.7 1M7 9.9v.05")],
  // What a command does.
  passes: [ring("5.6"), path("M4.4 7.1l1.9 1.9 3.4-4")],
  unreached: [ring("5", { ...LINE, "stroke-dasharray": "2 2.2" })],
  run: [path("M3.5 2v10l8.5-5z", FILL)],
  // What a person did, and who that is.
  viewed: [path("M2.5 7.5l3 3 6-7")],
  person: [["circle", { cx: "7", cy: "4.2", r: "2.6", ...FILL }], path("M1.8 12.6c0-6 10.4-6 10.4 0z", FILL)],
  // What a click does.
  fold: [path("M5 3l4 4-4 4")],
  close: [path("M3.5 3.5l7 7M10.5 3.5l-7 7")],
  menu: [path("M3 5l4 4 4-4")],
  options: [["circle", { cx: "2.5", cy: "7", r: "1.3", ...FILL }], ring("1.3", FILL), ["circle", { cx: "11.5", cy: "7", r: "1.3", ...FILL }]],
  previous: [path("M12 7H2M6 3L2 7l4 4")],
  next: [path("M2 7h10M8 3l4 4-4 4")],
  above: [path("M7 12V2M3 6l4-4 4 4")],
  below: [path("M7 2v10M3 8l4 4 4-4")],
}

/**
 * Draw a sign; it is named by its label, and said by nobody where a word beside it says the same (an empty label).
 * @type {(name: keyof typeof SIGNS, label?: string) => HTMLElement}
 */
export const signNode = (name, label = name) => {
  const svg = document.createElementNS(SVG, "svg")
  svg.setAttribute("viewBox", "0 0 14 14")
  svg.setAttribute("aria-hidden", "true")
  for (const [tag, attributes] of SIGNS[name] ?? []) {
    const shape = document.createElementNS(SVG, tag)
    for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value)
    svg.append(shape)
  }
  const node = el("span", `shape is-${name}`, svg)
  return label ? titled(attr(node, { role: "img", "aria-label": label }), label) : node
}

/**
 * Draw a reviewer's mark: its letters, which are the same on every screen (reviewer_marks.py), or the sign of a person.
 * @type {(by: { mark: string, reviewer: string }) => HTMLElement}
 */
export const reviewerMark = ({ mark, reviewer }) =>
  titled(el("span", "reviewer-mark", mark === "person" ? signNode("person", "") : mark), reviewer)

/**
 * Make the line on which a `details` opens.
 * @type {(cls: string, ...children: Child[]) => HTMLElement}
 */
export const summaryNode = (cls, ...children) => el("summary", cls, signNode("fold", ""), " ", ...children)

/** @type {(check: string) => HTMLElement} */
export const checkWords = (check) => el("span", `check ${check}`, signNode(check, ""), " ", check)

// Of what there is none nothing is said.
/** @type {(counts: Record<string, number>) => HTMLElement} */
export const checkCounts = (counts) => el("span", "counts", ...Object.entries(counts).filter(([, count]) => count).map(([check, count]) =>
  titled(el("span", "count", signNode(check), String(count)), `${count} ${check}`)))

/**
 * Say a verdict in a word of its colour.
 * @type {(verdict: string | null, words: string) => HTMLElement}
 */
export const verdictWords = (verdict, words) => el("span", `verdict ${verdict ?? "failed"}`, words)

/**
 * Say the verdict of which its row is about, as the only pill in it.
 * @type {(verdict: string | null, words: string) => HTMLElement}
 */
export const verdictPill = (verdict, words) => el("span", `verdict pill ${verdict ?? "failed"}`, words)
