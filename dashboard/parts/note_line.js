import { el, forget, instance, link } from "./shared.js"

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  const { words, link: title, address, failed } = component.data
  s.root.classList.toggle("failed", failed)
  if (failed) s.root.setAttribute("role", "alert")
  s.root.replaceChildren(el("span", failed ? "" : "muted", words, " "), title ? link("to", address, title) : "")
  return forget(component)
}
