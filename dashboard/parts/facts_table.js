const content = (cell) => (cell.href ? link("", cell.href, cell.text) : cell.text)

const scoped = (node, scope) => {
  node.scope = scope
  return node
}

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  const { title, headings, rows } = component.data
  const head = el("tr", "", ...headings.map((heading) => scoped(el("th", "", heading), "col")))
  const body = rows.map(([name, ...rest]) =>
    el("tr", "", scoped(el("th", "name", content(name)), "row"), ...rest.map((cell) => el("td", "wrap", content(cell)))))
  const table = el("table", "", el("thead", "", head), el("tbody", "", ...body))
  table.setAttribute("aria-label", title)
  s.root.replaceChildren(table)
  return forget(component)
}
