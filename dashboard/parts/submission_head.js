import { cutName } from "./prose.js"
import { attr, button, dated, el, link, listen, mounted, navigate, plainKey, titled, withFinding } from "./shared.js"
import { signNode } from "./signs.js"

const acrossButton = (s) => {
  const node = button(`act${s.data.leads_on ? " strong" : ""}`, "across", s.data.across[0], el("kbd", "", "v"))
  node.addEventListener("click", () => navigate(withFinding(s.data.across[1])))
  return node
}

const onward = (s, event) => {
  const to = { n: s.data.onward, v: s.data.across && withFinding(s.data.across[1]) }[event.key]
  if (!to || !plainKey(event)) return
  event.preventDefault()
  navigate(to)
}

// To the attempt before and to the one after.
const wayBeside = (href, sign, title) =>
  href ? attr(titled(link("beside", href, signNode(sign, "")), title), { "aria-label": title }) : el("span", "beside none", signNode(sign, ""))

const waysBeside = ([before, after]) =>
  before || after ? [el("span", "ways", wayBeside(before, "previous", "Previous attempt"), wayBeside(after, "next", "Next attempt"))] : []

export default mounted((s) => {
  const d = s.data
  // All figures here are of the list that `n` goes through; how far all of the store is stands after them.
  const here = d.here && !d.here.more ? d.here : d.all
  const done = el("span", "done")
  const bar = el("span", "progress", done)
  done.style.width = `${here.total ? (100 * here.decided) / here.total : 0}%`
  // The figures count attempts, of which a list of lineages leads to one each.
  const last = here.decided >= here.total ? "all decided here" : d.lineages ? "no other lineage is undecided" : "the last undecided one here"
  const of = ({ decided, total, more }) => more ? `${total.toLocaleString()}+` : `${decided.toLocaleString()} of ${total.toLocaleString()}`
  const counts = d.here ? [of(d.here), " in ", el("i", "", d.scope), el("span", "in-all", ` · ${of(d.all)} in all`)] : [of(d.all), " decided"]
  const counted = el("span", "muted decided", ...counts)
  counted.title = `Decided: ${counted.textContent}`
  const next = d.onward ? link("act", d.onward, d.lineages ? "Next lineage" : "Next undecided", el("kbd", "", "n")) : el("span", "muted decided", last)
  s.root.replaceChildren(
    titled(link("back", d.back, "Inbox"), "Back to the inbox as you left it"),
    titled(el("h1", "", cutName("", d.name)), [d.name, d.about].filter(Boolean).join(" · ")),
    ...waysBeside(d.beside),
    el("span", "muted about", d.about, d.about ? " · " : "", d.age.known ? "generated " : "", dated(d.age)),
    el("span", "fill"),
    counted, bar, d.across && acrossButton(s), next,
  )
}, (made) => listen(made, window, "keydown", (event) => onward(made, event), true))
