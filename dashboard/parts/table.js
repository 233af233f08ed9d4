// What all tables are made of.
import { el, titled } from "./shared.js"

/** @type {(scope: "col" | "row", cls: string, ...children: Child[]) => HTMLElement} */
export const heading = (scope, cls, ...children) => Object.assign(el("th", cls, ...children), { scope })

// A column without a title needs no heading; a caption is for those who hear the page.
/** @type {(caption: string, titles: [string, string?, string?][], rows: HTMLElement[]) => HTMLElement} */
export const table = (caption, titles, rows) => {
  const heads = titles.map(([title, hint = "", cls = ""]) => (title ? titled(heading("col", cls, title), hint) : el("td")))
  return el("table", "", el("caption", "", caption), el("thead", "", el("tr", "", ...heads)), el("tbody", "", ...rows))
}

// A value with its interval on a scale from 0 to 1; the words beside it say the same.
/** @type {(plot: [number, number, number], cls?: string) => HTMLElement} */
export const scale = ([low, at, high], cls = "") => {
  const [value, range] = [el("span", "at"), el("span", "range")]
  value.style.setProperty("--at", `${at * 100}%`)
  range.style.left = `${low * 100}%`
  range.style.width = `${Math.max(0, high - low) * 100}%`
  const track = el("span", `track ${cls}`, value, range)
  track.setAttribute("aria-hidden", "true")
  return track
}

/** @type {(words: string) => string} */
export const fewness = (words) => (/too few$/.test(words) ? " few" : "")
