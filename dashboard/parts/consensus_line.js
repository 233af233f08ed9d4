// A reason that is being typed is only known to the page until it is saved, so it is the page that says whether there is one.
const typed = () => Boolean(document.querySelector(".st-key-panel-decision textarea")?.value.trim())

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  const { agreement, verdict, words, because } = component.data
  const head = el("div", "head", el("b", "", agreement))
  if (verdict) {
    const take = titled(button("act", "take", "Take over"), "Fills in the verdict below, and the reason where none is typed; nothing is saved yet")
    take.addEventListener("click", () => send(s, { kind: "take", typed: typed() }))
    head.append(el("span", "muted", "suggested"), verdictBadge(verdict, words), take)
  }
  s.root.replaceChildren(head, titled(el("div", "because muted", because), because))
  return forget(component)
}
