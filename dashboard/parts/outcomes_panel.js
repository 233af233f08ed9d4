// Real runs, the newest first: how each ended, where, and who had said so. The output stands below as it was, folded.
import { fateLines } from "./outcome_cards.js"
import { button, el, mounted, send, tell, when } from "./shared.js"
import { summaryNode, verdictPill } from "./signs.js"

const goTo = (s, place) => {
  if (!tell("show", place)) send(s, { kind: "open", ...place })
}

const placeNode = (s, { file, line, place }) => {
  const node = button("place mono", "goto", place)
  node.addEventListener("click", () => goTo(s, { file, line }))
  return node
}

const row = (s, o) => {
  const ended = o.failed === null ? "failed" : o.failed ? "not_ready" : "ready"
  const words = o.source === "run" ? (o.failed === null ? "unknown" : o.failed ? "failed" : "passed") : "fix"
  const code = o.exit === null ? "" : `exit code ${o.exit}`
  const head = el("header", "", verdictPill(ended, words), el("b", "", o.title), el("span", "muted", [code, o.source === "run" ? "" : o.source].filter(Boolean).join(" · ")), when(o.at))
  const node = el("article", "", head)
  if (o.message) node.append(el("div", "said wrap", o.message))
  const where = el("div", "where", ...o.places.map((place) => placeNode(s, place)), o.category && el("span", "muted", o.category))
  if (where.childNodes.length) node.append(where)
  if (o.fates.length) node.append(fateLines(o.fates, (place) => goTo(s, place)))
  if (o.excerpt) node.append(el("details", "", summaryNode("muted", "End of its output"), el("pre", "", o.excerpt)))
  return node
}

export default mounted((s) => {
  const text = JSON.stringify([s.data.outcomes, s.data.more])
  if (s.text === text) return
  s.text = text
  s.root.replaceChildren(...s.data.outcomes.map((outcome) => row(s, outcome)))
  if (s.data.more) s.root.append(el("p", "muted", `and ${s.data.more} older ones`))
  if (!s.data.outcomes.length) s.root.append(el("p", "muted", "No real run of this submission is recorded. Add one below or with areachair outcome to see who predicted its failure."))
})
