import { el, forget, instance, titled, verdictBadge, when } from "./shared.js"

const blindMark = () => titled(el("span", "blind", "blind"), "Decided before others' verdicts were shown")

const row = ({ verdict, words, author, at, reason, blind }) =>
  el("div", "decision", verdictBadge(verdict, words),
     el("span", "wrap", el("b", "", author), ", ", when(at), blind ? " · " : "", blind ? blindMark() : "", reason ? ": " : "", reason))

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  s.root.replaceChildren(...component.data.decisions.map(row))
  if (!component.data.decisions.length) s.root.append(el("p", "muted", "No decision yet."))
  return forget(component)
}
