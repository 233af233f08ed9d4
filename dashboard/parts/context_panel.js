// What a reader wants first stands open: what is measured, what is claimed, which runs; the rest is a click away.
import { el, mounted } from "./shared.js"
import { summaryNode } from "./signs.js"
import { heading, table } from "./table.js"

const section = ({ title, text, folded }) => {
  const node = el("details", "section", summaryNode("", title), el("div", "text wrap", text))
  node.open = !folded
  return node
}

/** @type {[string, string][]} */
const COLUMNS = [["method", "Method"], ["model", "Model"], ["dataset", "Data set"]]

const runTable = (runs) => {
  const columns = COLUMNS.filter(([name]) => runs.some((run) => run[name] !== "—"))
  const rows = runs.map((run) => el("tr", "", heading("row", "mono", run.run), ...columns.map(([name]) => el("td", "", run[name]))))
  const all = el("div", "table", table("Runs", [["Run"], ...columns.map(([, title]) => /** @type {[string]} */ ([title]))], rows))
  const node = el("details", "section", summaryNode("", `Runs (${runs.length})`), all)
  node.open = true
  return node
}

export default mounted((s) => {
  const { metric, sections, runs } = s.data
  const nodes = sections.map(section)
  if (runs.length) nodes.splice(Math.min(1, nodes.length), 0, runTable(runs))
  if (metric) nodes.unshift(el("div", "metric", el("span", "muted", "Primary metric"), el("b", "wrap", metric)))
  s.root.replaceChildren(...(nodes.length ? nodes : [el("p", "muted", "The bundle contains no research context.")]))
})
