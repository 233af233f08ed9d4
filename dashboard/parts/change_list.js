import { el, forget, instance, link } from "./shared.js"

const SIGN = { new: "●", rising: "▲", falling: "▼" }

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  const lines = component.data.lines.map(({ kind, name, figures, href }) =>
    el("li", "", link(`change ${kind}`, href, el("span", "kind", SIGN[kind], " ", kind), el("b", "", name), el("span", "muted", figures))))
  s.root.replaceChildren(el("ul", "", ...lines))
  return forget(component)
}
