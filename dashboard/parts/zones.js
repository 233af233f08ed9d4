// The zone is a mark on the page, and page.css hides the other one where the screen is narrow. Places are always in the code.
const choose = (s, zone) => {
  document.documentElement.dataset.zone = zone
  for (const tab of s.root.children) tab.setAttribute("aria-selected", String(tab.dataset.action === zone))
}

export default function (component) {
  if (!component.data) return
  const s = instance(component, (made) => listen(made, document, "areachair:show", () => choose(made, "code")))
  s.root.setAttribute("role", "tablist")
  s.root.replaceChildren(...component.data.zones.map(([zone, title]) => {
    const tab = button("tab", zone, title)
    tab.setAttribute("role", "tab")
    tab.addEventListener("click", () => choose(s, zone))
    return tab
  }))
  choose(s, document.documentElement.dataset.zone ?? "code")
  return forget(component)
}
