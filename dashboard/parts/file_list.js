// Files under their folders, so that a narrow list shows the part of a path that tells one from another.
// Lines that came and went since the attempt that it is compared with.
import { button, el, focusedIn, listen, mounted, plural, send, spoken, titled } from "./shared.js"

const CHANGES = { added: "new", removed: "gone", renamed: "renamed", changed: "" }

const changeNode = ({ change, words, came, gone }) =>
  titled(el("span", "change", CHANGES[change] && el("span", "muted", CHANGES[change]), came ? el("span", "plus", `+${came}`) : "", gone ? el("span", "minus", `−${gone}`) : ""), words)

const entryNode = (entry, shown) => {
  const flags = el("span", "flags")
  for (const [severity, count] of entry.counts) flags.append(titled(el("span", `flag ${severity}`, String(count), spoken(count === 1 ? ` ${severity}` : ` ${severity}s`)), plural(count, severity)))
  if (entry.folded) flags.append(titled(el("span", "flag folded", String(entry.folded), spoken(" refuted or dismissed")), `${entry.folded} refuted or dismissed`))
  if (entry.failed) flags.append(titled(el("span", "flag ran", "▶", entry.failed > 1 ? String(entry.failed) : ""), `${plural(entry.failed, "failure or fix", "failures and fixes")} of real runs`))
  const name = el("span", "name", entry.name, entry.change ? changeNode(entry.change) : "")
  const node = titled(button(`entry${entry.absent ? " absent" : ""}`, "open", name, flags), entry.title)
  node.dataset.path = entry.path
  if (entry.path === shown) node.setAttribute("aria-current", "true")
  return node
}

export default mounted((s) => {
  const nodes = []
  let group
  for (const entry of s.data.entries) {
    if (entry.group !== group) nodes.push(el("h3", "", (group = entry.group)))
    nodes.push(entryNode(entry, s.data.shown))
  }
  const focused = focusedIn(s)?.dataset.path
  s.root.replaceChildren(...nodes)
  if (focused) [...s.root.querySelectorAll(".entry")].find((node) => node.dataset.path === focused)?.focus({ preventScroll: true })
}, (made) => {
  listen(made, made.root, "click", (event) => {
    const entry = event.target.closest("[data-path]")
    if (!entry) return
    for (const other of made.root.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current")
    entry.setAttribute("aria-current", "true")
    send(made, { kind: "open", file: entry.dataset.path })
  })
})
