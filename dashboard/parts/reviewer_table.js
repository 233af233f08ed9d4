import { attr, button, el, mounted, send, titled } from "./shared.js"
import { reviewerMark, signNode } from "./signs.js"
import { heading, table } from "./table.js"

/** @type {[string, string?][]} */
const TITLES = [["Name"], ["Model"], ["Server"], ["Key set"], ["API"], ["Form"], ["Window", "Context window in tokens"],
                ["Prices", "US dollars per million tokens: input / cached input / output"], ["Time-out"], ["Concurrency", "Concurrent requests"], [""]]

const act = (s, kind, row, label, asked = kind) => {
  const node = attr(button("act", asked, label), { "aria-label": `${label} ${row.title}` })
  node.addEventListener("click", () => {
    node.disabled = true
    send(s, { kind, name: row.name })
  })
  return node
}

// A reviewer is gone at the second click only.
const removal = (s, row) => {
  const ask = attr(button("act", "ask-remove", "Remove"), { "aria-label": `Remove ${row.title}` })
  ask.addEventListener("click", () => {
    const keep = button("act", "keep", "Keep")
    keep.addEventListener("click", () => draw(s))
    const sure = act(s, "remove", row, "Remove permanently")
    ask.parentElement?.replaceChildren(sure, keep)
    keep.focus()
  })
  return ask
}

const rowNodes = (s, row) => {
  const changes = s.data.writable ? [act(s, "edit", row, "Edit"), act(s, "copy", row, "Copy"), removal(s, row)] : []
  const acts = el("td", "acts", el("span", "group", act(s, "try", row, "Try"), ...changes))
  const cells = row.cells.map((text, place) => el("td", place === 2 && row.keyless ? "keyless" : place > 4 ? "number" : "", text))
  titled(cells[1], row.url)
  const nodes = [el("tr", "", heading("row", "name", reviewerMark({ mark: row.mark, reviewer: row.title }), " ", row.title), ...cells, acts)]
  if (row.trial) {
    const cell = el("td", `trial wrap${row.trial.ok ? "" : " failed"}`, row.trial.ok ? signNode("passes", "") : el("b", "", "Failed: "), " ", row.trial.words)
    cell.colSpan = TITLES.length
    cell.setAttribute("role", "status")
    nodes.push(el("tr", "said", cell))
  }
  return nodes
}

const draw = (s) => {
  s.root.classList.add("framed")
  s.root.replaceChildren(table("Configured reviewers", TITLES, s.data.rows.flatMap((row) => rowNodes(s, row))))
}

export default mounted(draw)
