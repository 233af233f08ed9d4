export default function (component) {
  if (!component.data) return
  const s = instance(component)
  s.root.replaceChildren(el("span", "lead", "Light or dark"), themeChoice())
  return forget(component)
}
