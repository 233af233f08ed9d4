import { el, link, mounted } from "./shared.js"

const SIGN = { new: "●", rising: "▲", falling: "▼" }

export default mounted((s) => {
  const lines = s.data.lines.map(({ kind, name, figures, href }) =>
    el("li", "", link(`change ${kind}`, href, el("span", "kind", SIGN[kind], " ", kind), el("b", "", name), el("span", "muted", figures))))
  s.root.replaceChildren(el("ul", "", ...lines))
})
