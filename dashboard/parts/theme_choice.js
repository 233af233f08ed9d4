// System, Light or Dark. Streamlit cannot change its theme while the page stands: the choice is kept in a cookie and the page
// is loaded anew, whose first bytes hand it to Streamlit (see first_paint.py).
import { button, el } from "./shared.js"

const THEMES = ["System", "Light", "Dark"]
const THEME_COOKIE = "areachair_theme"

const chosenTheme = () => {
  const kept = document.cookie.split("; ").find((each) => each.startsWith(`${THEME_COOKIE}=`))?.split("=")[1]
  return THEMES.find((name) => name.toLowerCase() === kept) ?? "System"
}

const chooseTheme = (name) => {
  document.cookie = `${THEME_COOKIE}=${name.toLowerCase()}; path=/; max-age=31536000; samesite=lax`
  window.location.reload()
}

export const themeChoice = () => {
  const group = el("span", "themes")
  group.setAttribute("role", "radiogroup")
  group.setAttribute("aria-label", "Light or dark")
  for (const name of THEMES) {
    const node = button("theme", "theme", name)
    node.setAttribute("role", "radio")
    node.setAttribute("aria-checked", String(name === chosenTheme()))
    node.addEventListener("click", () => name !== chosenTheme() && chooseTheme(name))
    group.append(node)
  }
  return group
}
