import { arrange, attr, button, el, link, mounted, plural, send } from "./shared.js"

const failedNode = ({ words, count, about }) => {
  const names = about.flatMap(([name, href], at) => [at ? ", " : "", href ? link("to", href, name) : name])
  const more = count > about.length ? ` and ${count - about.length} more` : ""
  return el("li", "", el("span", "problem wrap", words), el("span", "muted", ` (${plural(count, "submission")}: `, ...names, more, ")"))
}

const act = (s, kind, words, number) => {
  const node = button("act", kind, words)
  node.addEventListener("click", () => {
    node.disabled = true
    send(s, { kind, number })
  })
  return node
}

const workNode = (s, work) => {
  const bar = attr(el("progress"), { max: String(work.total), value: String(work.over), "aria-label": work.title })
  const head = el("div", "head", el("b", "", work.title), bar, attr(el("span", "far", `${work.over.toLocaleString()} of ${work.total.toLocaleString()}`), { role: "status" }),
                  el("span", "muted", work.told.join(" · ")), el("span", "fill"), work.retry ? act(s, "retry", "Retry", work.number) : null, work.live ? act(s, "cancel", "Cancel", work.number) : act(s, "close", "Close", work.number))
  const node = el("section", "work", head)
  if (work.failed.length) node.append(el("ul", "failed", ...work.failed.map(failedNode), work.more ? el("li", "muted", `${work.more} more kinds of failures`) : null))
  return node
}

export default mounted((s) => {
  const before = s.drawn
  s.drawn = new Map(s.data.works.map((work) => {
    const text = JSON.stringify(work)
    const known = before?.get(work.number)
    return [work.number, known?.text === text ? known : { text, node: workNode(s, work) }]
  }))
  arrange(s.root, [...s.drawn.values()].map(({ node }) => node))
})
