import { el, mounted, titled, when } from "./shared.js"
import { verdictPill } from "./signs.js"

const blindMark = () => titled(el("span", "blind", "blind"), "Decided before others' verdicts were shown")

const row = ({ verdict, words, author, at, reason, blind }) =>
  el("div", "decision", verdictPill(verdict, words),
     el("span", "wrap", el("b", "", author), ", ", when(at), blind ? " · " : "", blind ? blindMark() : "", reason ? ": " : "", reason))

export default mounted((s) => {
  s.root.replaceChildren(...s.data.decisions.map(row))
  if (!s.data.decisions.length) s.root.append(el("p", "muted", "No decision yet."))
})
