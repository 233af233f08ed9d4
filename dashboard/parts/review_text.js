const LEGEND = ["confirmed", "unverified", "refuted"]

const piece = (s, part) => {
  if (!part.key) return part.text
  const mark = el("mark", `claim ${part.check}`, part.text)
  mark.title = `${part.check}: ${part.evidence}`
  mark.tabIndex = 0
  mark.setAttribute("role", "button")
  mark.dataset.key = part.key
  const go = () => { if (!tell("show", { file: part.file, key: part.key })) send(s, { kind: "open", file: part.file, key: part.key }) }
  mark.addEventListener("click", go)
  mark.addEventListener("keydown", (event) => event.key === "Enter" && go())
  return mark
}

export default function (component) {
  if (!component.data) return
  const s = instance(component, (made) => {
    listen(made, document, "areachair:selected", (event) => {
      for (const mark of made.root.querySelectorAll("mark")) mark.classList.toggle("current", mark.dataset.key === event.detail.key)
    })
  })
  const legend = LEGEND.map((check) => el("span", `claim ${check}`, `${CHECK_MARK[check]} ${check}`))
  const nodes = [el("div", "legend", ...legend, el("span", "muted", "unmarked: no claim was read there"))]
  for (const text of s.data.texts) {
    nodes.push(el("h3", "", text.reviewer), el("div", "text wrap", ...text.parts.map((part) => piece(s, part))))
  }
  if (!s.data.texts.length) nodes.splice(0, 1, el("p", "muted", "No reviewer wrote a text on this submission."))
  s.root.replaceChildren(...nodes)
  return forget(component)
}
