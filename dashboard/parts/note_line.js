export default function (component) {
  if (!component.data) return
  const s = instance(component)
  const { words, link: title, address } = component.data
  s.root.replaceChildren(el("span", "muted", words, " "), title ? link("to", address, title) : "")
  return forget(component)
}
