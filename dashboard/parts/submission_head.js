export default function (component) {
  if (!component.data) return
  const s = instance(component)
  const d = component.data
  const bar = el("span", "progress", el("span", "done"))
  bar.firstChild.style.width = `${d.total ? (100 * d.decided) / d.total : 0}%`
  const last = d.decided === d.total ? "all decided" : "the last one undecided"
  s.root.replaceChildren(
    link("back", d.back, "← Inbox"),
    el("h1", "", d.name),
    el("span", "muted about", d.about, d.about ? " · " : "", "imported ", when(d.imported)),
    el("span", "fill"),
    el("span", "muted decided", `${d.decided} of ${d.total} decided`), bar,
    d.onward ? link("act", d.onward, "Next undecided", el("kbd", "", "n")) : el("span", "muted", last),
  )
  return forget(component)
}
