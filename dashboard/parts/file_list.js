// Files under their folders, so that a narrow list shows the part of a path that tells one from another.
const entryNode = (entry, shown) => {
  const flags = el("span", "flags")
  for (const [severity, count] of entry.counts) flags.append(titled(el("span", `flag ${severity}`, String(count)), plural(count, severity)))
  if (entry.folded) flags.append(titled(el("span", "flag folded", String(entry.folded)), `${entry.folded} refuted or dismissed`))
  const node = titled(button(`entry${entry.absent ? " absent" : ""}`, "open", el("span", "name", entry.name), flags), entry.title)
  node.dataset.path = entry.path
  if (entry.path === shown) node.setAttribute("aria-current", "true")
  return node
}

export default function (component) {
  if (!component.data) return
  const s = instance(component, (made) => {
    listen(made, made.root, "click", (event) => {
      const entry = event.target.closest("[data-path]")
      if (!entry) return
      for (const other of made.root.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current")
      entry.setAttribute("aria-current", "true")
      send(made, { kind: "open", file: entry.dataset.path })
    })
  })
  const nodes = []
  let group
  for (const entry of s.data.entries) {
    if (entry.group !== group) nodes.push(el("h3", "", (group = entry.group)))
    nodes.push(entryNode(entry, s.data.shown))
  }
  s.root.replaceChildren(...nodes)
  return forget(component)
}
