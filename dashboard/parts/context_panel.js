const section = ({ title, text, folded }) => {
  const node = el("details", "section", el("summary", "", title), el("div", "text wrap", text))
  node.open = !folded
  return node
}

const runTable = (runs) => {
  const head = el("tr", "", ...["Run", "Method", "Model", "Data set"].map((title) => el("th", "", title)))
  const rows = runs.map(({ run, ...others }) => el("tr", "", el("td", "mono", run), ...Object.values(others).map((text) => el("td", "", text))))
  const table = el("table", "", el("thead", "", head), el("tbody", "", ...rows))
  const node = el("details", "section", el("summary", "", `Runs (${runs.length})`), table)
  node.open = true
  return node
}

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  const { sections, runs } = component.data
  const nodes = sections.map(section)
  if (runs.length) nodes.splice(1, 0, runTable(runs))
  s.root.replaceChildren(...(nodes.length ? nodes : [el("p", "muted", "The bundle brings no research context.")]))
  return forget(component)
}
