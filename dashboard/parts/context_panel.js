// What a reader wants first stands open: what is measured, what is claimed, which runs; the rest is a click away.
import { el, forget, instance } from "./shared.js"

const section = ({ title, text, folded }) => {
  const node = el("details", "section", el("summary", "", title), el("div", "text wrap", text))
  node.open = !folded
  return node
}

const headed = (title, scope) => {
  const node = el("th", "", title)
  node.scope = scope
  return node
}

const runTable = (runs) => {
  const columns = [["method", "Method"], ["model", "Model"], ["dataset", "Data set"]].filter(([name]) => runs.some((run) => run[name] !== "—"))
  const head = el("tr", "", headed("Run", "col"), ...columns.map(([, title]) => headed(title, "col")))
  const rows = runs.map((run) => el("tr", "", Object.assign(headed(run.run, "row"), { className: "mono" }), ...columns.map(([name]) => el("td", "", run[name]))))
  const table = el("div", "table", el("table", "", el("thead", "", head), el("tbody", "", ...rows)))
  const node = el("details", "section", el("summary", "", `Runs (${runs.length})`), table)
  node.open = true
  return node
}

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  const { metric, sections, runs } = component.data
  const nodes = sections.map(section)
  if (runs.length) nodes.splice(Math.min(1, nodes.length), 0, runTable(runs))
  if (metric) nodes.unshift(el("div", "metric", el("span", "muted", "Primary metric"), el("b", "wrap", metric)))
  s.root.replaceChildren(...(nodes.length ? nodes : [el("p", "muted", "The bundle contains no research context.")]))
  return forget(component)
}
