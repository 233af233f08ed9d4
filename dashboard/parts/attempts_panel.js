// The attempts as a timeline, the newest on top; what changed stands between an attempt and the one below it.
import { attr, button, dated, el, link, mounted, plural, send, titled, when } from "./shared.js"
import { checkCounts, reviewerMark, verdictPill, verdictWords } from "./signs.js"

const chipNode = (chip) => {
  const { confirmed, refuted, unverified } = chip.counts
  const node = el("span", "chip", reviewerMark(chip), verdictWords(chip.verdict, chip.words), checkCounts(chip.counts))
  return titled(node, `${chip.reviewer}: ${chip.words}, ${confirmed} confirmed, ${refuted} refuted, ${unverified} unverified`)
}

const countsNode = (counts) => el("div", "since", ...counts.map(([fate, words, count]) => el("span", `is-${fate}`, el("b", "", String(count)), ` ${words}`)))

const rowNode = (s, row) => {
  const name = row.here ? el("b", "name", row.name) : link("name", row.href, row.name)
  const head = el("div", "head", name, el("span", "muted mono", row.id), dated(row.age))
  if (row.ours) head.append(el("span", "mark", "repaired by areachair"))
  if (row.here) head.append(el("span", "mark", "open"))
  if (row.against) head.append(el("span", "mark", "compared"))
  else if (row.attempt) {
    const compare = attr(button("act", "compare", "Compare"), { "aria-label": `Compare with ${row.called}` })
    compare.addEventListener("click", () => send(s, { kind: "against", attempt: row.attempt }))
    head.append(compare)
  }
  const said = el("div", "said", ...row.chips.map(chipNode))
  if (row.decision) said.append(el("span", "chip", el("span", "muted", "decided"), verdictPill(row.decision.verdict, row.decision.words)))
  const body = el("div", "body", head, said)
  if (row.commit) body.append(el("div", "muted mono commit", row.commit))
  if (row.counts.length) body.append(countsNode(row.counts))
  const node = el("li", row.here ? "here" : "", titled(el("span", "n", String(row.n)), row.why || (row.n ? "" : row.called)), body)
  if (row.here) node.setAttribute("aria-current", "true")
  return node
}

const relationNode = ({ words, author, at, reason }) => el("li", "wrap", el("span", "mono", words), " by ", el("b", "", author), ", ", when(at), `: ${reason}`)

export default mounted((s) => {
  const d = s.data
  const about = [d.name, d.left_out && `${plural(d.left_out, "attempt")} not shown`, d.order].filter(Boolean)
  const list = attr(el("ol", "", ...d.rows.map((row) => rowNode(s, row))), { "aria-label": "Attempts, newest first" })
  s.root.replaceChildren(el("p", "muted", about.join(" · ") || "The only attempt at this experiment."), list)
  if (d.relations.length) s.root.append(el("ul", "relations", ...d.relations.map(relationNode)))
})
