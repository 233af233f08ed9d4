import { el, mounted } from "./shared.js"
import { themeChoice } from "./theme_choice.js"

// Drawn once: a click is lost when its button is replaced under it.
export default mounted(() => undefined, (made) => made.root.replaceChildren(el("span", "lead", "Light or dark"), themeChoice()))
