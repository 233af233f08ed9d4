// Who flags a line: the marks of its reviewers side by side; dashed where all that it says is refuted.
import { isFolded } from "./cards.js"
import { button, el, plural } from "./shared.js"
import { reviewerMark, signNode } from "./signs.js"

export const RANK = { blocker: 0, major: 1, minor: 2 }
const MOST_MARKS = 3

const markOf = (cards) => {
  const shown = cards.find((card) => !isFolded(card)) ?? cards[0]
  const node = button(`mark${cards.every(isFolded) ? " hollow" : ""}`, "select", shown.kind === "outcome" ? signNode("run", "") : reviewerMark(shown))
  node.dataset.key = shown.key
  node.tabIndex = -1
  node.title = cards.map((card) => [card.reviewer, card.severity, card.check].filter(Boolean).join(", ") + `: ${card.message || card.claim}`).join("\n")
  node.setAttribute("aria-label", `${[node.textContent, `line ${shown.line}`].filter(Boolean).join(", ")}: ${plural(cards.length, "finding")} by ${shown.reviewer || "a real run"}`)
  return node
}

const paint = (s, card) => {
  for (let n = card.line; n <= Math.min(card.end, s.rows.length); n++) {
    const row = s.rows[n - 1]
    if (row.dataset.severity && RANK[card.severity] >= RANK[row.dataset.severity]) continue
    row.classList.remove(row.dataset.severity)
    row.classList.add("flagged", card.severity)
    row.dataset.severity = card.severity
    s.painted.add(row)
  }
}

export const drawGutter = (s, cards) => {
  for (const row of s.painted ?? []) {
    row.classList.remove("flagged", row.dataset.severity)
    delete row.dataset.severity
    row.querySelector(".marks").replaceChildren()
  }
  s.painted = new Set()
  const lines = new Map()
  for (const card of cards) {
    const row = card.line && s.rows[card.line - 1]
    if (!row) continue
    s.painted.add(row)
    const said = lines.get(row) ?? lines.set(row, new Map()).get(row)
    const who = card.reviewer ?? card.kind
    said.set(who, [...(said.get(who) ?? []), card])
    if (!isFolded(card) && card.severity) paint(s, card)
  }
  let widest = 1
  for (const [row, said] of lines) {
    const everyone = [...said.values()]
    /** @type {HTMLElement[]} */
    const marks = everyone.slice(0, MOST_MARKS).map(markOf)
    if (everyone.length > MOST_MARKS) marks.push(el("span", "more", `+${everyone.length - MOST_MARKS}`))
    row.querySelector(".marks").replaceChildren(...marks)
    widest = Math.max(widest, marks.length)
  }
  // Every row depends on it, so it is left alone where it stays.
  if (s.widest !== widest) s.code.style.setProperty("--gutter", `${8 + 22 * (s.widest = widest)}px`)
}
