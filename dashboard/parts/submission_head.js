const onward = (s, event) => {
  if (!plainKey(event) || event.key !== "n" || !s.data.onward) return
  event.preventDefault()
  navigate(s.data.onward)
}

// To the attempt before and to the one after.
const wayBeside = (href, mark, title) => {
  if (!href) return el("span", "beside none", mark)
  const node = titled(link("beside", href, mark), title)
  node.setAttribute("aria-label", title)
  return node
}

const waysBeside = ([before, after]) =>
  before || after ? [el("span", "ways", wayBeside(before, "‹", "Previous attempt"), wayBeside(after, "›", "Next attempt"))] : []

export default function (component) {
  if (!component.data) return
  const s = instance(component, (made) => listen(made, window, "keydown", (event) => onward(made, event), true))
  const d = component.data
  const bar = el("span", "progress", el("span", "done"))
  bar.firstChild.style.width = `${d.total ? (100 * d.decided) / d.total : 0}%`
  const last = d.decided === d.total ? "all decided" : "the last one undecided"
  const next = d.onward ? link("act", d.onward, "Next undecided", el("kbd", "", "n")) : el("span", "muted decided", last)
  s.root.replaceChildren(
    link("back", d.back, "← Inbox"),
    titled(el("h1", "", d.name), d.name),
    ...waysBeside(d.beside),
    el("span", "muted about", d.about, d.about ? " · " : "", "imported ", when(d.imported)),
    el("span", "fill"),
    el("span", "muted decided", `${d.decided} of ${d.total} decided`), bar, next,
  )
  return forget(component)
}
