import { el, forget, instance } from "./shared.js"
import { themeChoice } from "./theme_choice.js"

export default function (component) {
  if (!component.data) return
  // Drawn once: a click is lost when its button is replaced under it.
  instance(component, (made) => made.root.replaceChildren(el("span", "lead", "Light or dark"), themeChoice()))
  return forget(component)
}
