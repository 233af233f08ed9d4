// The zone is a mark on the page, and page.css hides the other one where the screen is narrow. Places are always in the code, and
// what comes after the code is the decision.
import { attr, button, el, listen, mounted } from "./shared.js"

const choose = (s, zone) => {
  document.documentElement.dataset.zone = zone
  for (const tab of s.tabs.children) {
    tab.setAttribute("aria-selected", String(tab.dataset.action === zone))
    tab.tabIndex = tab.dataset.action === zone ? 0 : -1
  }
  s.onward.hidden = zone === "panel"
}

export default mounted((s) => {
  s.tabs.replaceChildren(...s.data.zones.map(([zone, title]) => {
    const tab = attr(button("tab", zone, title), { role: "tab" })
    tab.addEventListener("click", () => choose(s, zone))
    return tab
  }))
  choose(s, document.documentElement.dataset.zone ?? "code")
}, (made) => {
  made.tabs = attr(el("div", "tabs"), { role: "tablist" })
  made.onward = button("act strong", "onward", "Decide")
  made.onward.addEventListener("click", () => {
    choose(made, "panel")
    made.tabs.querySelector("[aria-selected=true]")?.focus()
  })
  made.root.replaceChildren(made.tabs, made.onward)
  listen(made, document, "areachair:show", () => choose(made, "code"))
  listen(made, document, "areachair:zone", ({ detail }) => choose(made, detail.zone))
  listen(made, made.tabs, "keydown", (event) => {
    const tabs = [...made.tabs.querySelectorAll("[role=tab]")]
    const to = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (to) tabs.at((tabs.indexOf(event.target) + to) % tabs.length)?.click()
    if (to) made.tabs.querySelector("[aria-selected=true]")?.focus()
  })
})
