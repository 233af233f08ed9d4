const TITLES = [["Reviewer", ""], ["Its past", ""], ["n", "Verdicts and claims that something is known of"], ["Weight", "How far its word goes, between 0 and 1; 0.50 without a past"]]

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  const head = el("tr", "", ...TITLES.map(([title, hint]) => titled(el("th", "", title), hint)))
  const rows = component.data.rows.map((row) =>
    el("tr", "", el("td", "", el("b", "", row.name)), el("td", "words", row.words), el("td", "number", row.cases), el("td", "number", row.weight)))
  s.root.replaceChildren(el("table", "", el("thead", "", head), el("tbody", "", ...rows)))
  return forget(component)
}
