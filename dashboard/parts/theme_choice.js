// System, Light or Dark. Streamlit keeps the choice in the browser for each path by itself and has no way to change it while
// the page stands, so it is written for every page of ours and the page is loaded anew; the cookie tells the server's first
// bytes of it (see first_paint.py).
const THEMES = ["System", "Light", "Dark"]
const THEME_COOKIE = "areachair_theme"
const THEMED = ["", "inbox", "trends", "reviewers", "settings", "submission"]

const chosenTheme = () => {
  const kept = document.cookie.split("; ").find((each) => each.startsWith(`${THEME_COOKIE}=`))?.split("=")[1]
  return THEMES.find((name) => name.toLowerCase() === kept) ?? "System"
}

const chooseTheme = (name) => {
  const version = Object.keys(localStorage).map((key) => /^stActiveTheme-.*-(v\d+)$/.exec(key)?.[1]).find(Boolean) ?? "v2"
  const base = new URL("./", window.location.href).pathname
  for (const path of THEMED) localStorage.setItem(`stActiveTheme-${base}${path}-${version}`, JSON.stringify(name))
  document.cookie = `${THEME_COOKIE}=${name.toLowerCase()}; path=/; max-age=31536000; samesite=lax`
  window.location.reload()
}

const themeChoice = () => {
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
