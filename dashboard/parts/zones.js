// The zone is a mark on the page, and page.css hides the other one where the screen is narrow. Places are always in the code.
import { button, listen, mounted } from "./shared.js"

const choose = (s, zone) => {
  document.documentElement.dataset.zone = zone
  for (const tab of s.root.children) {
    tab.setAttribute("aria-selected", String(tab.dataset.action === zone))
    tab.tabIndex = tab.dataset.action === zone ? 0 : -1
  }
}

export default mounted((s) => {
  s.root.setAttribute("role", "tablist")
  s.root.replaceChildren(...s.data.zones.map(([zone, title]) => {
    const tab = button("tab", zone, title)
    tab.setAttribute("role", "tab")
    tab.addEventListener("click", () => choose(s, zone))
    return tab
  }))
  choose(s, document.documentElement.dataset.zone ?? "code")
}, (made) => {
  listen(made, document, "areachair:show", () => choose(made, "code"))
  listen(made, document, "areachair:zone", ({ detail }) => choose(made, detail.zone))
  listen(made, made.root, "keydown", (event) => {
    const tabs = [...made.root.querySelectorAll("[role=tab]")]
    const to = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (to) tabs.at((tabs.indexOf(event.target) + to) % tabs.length)?.click()
    if (to) made.root.querySelector("[aria-selected=true]")?.focus()
  })
})
