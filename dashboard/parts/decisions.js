const row = ({ verdict, words, author, at, reason }) =>
  el("div", "decision", verdictBadge(verdict, words), el("span", "wrap", el("b", "", author), ", ", when(at), reason ? ": " : "", reason))

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  s.root.replaceChildren(...component.data.decisions.map(row))
  if (!component.data.decisions.length) s.root.append(el("p", "muted", "No decision so far."))
  return forget(component)
}
