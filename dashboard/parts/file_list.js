// Files under their folders, so that a narrow list shows the part of a path that tells one from another.
// Lines that came and went since the attempt that it is compared with.
import { signNode } from "./signs.js"
import { cutName } from "./prose.js"
import { button, el, focusedIn, listen, mounted, plural, send, spoken, titled } from "./shared.js"
import { viewedFiles } from "./viewed.js"

const CHANGES = { added: "new", removed: "gone", renamed: "renamed", changed: "" }

const changeNode = ({ change, words, came, gone }) =>
  titled(el("span", "change", CHANGES[change] && el("span", "muted", CHANGES[change]), came ? el("span", "plus", `+${came}`) : "", gone ? el("span", "minus", `−${gone}`) : ""), words)

const entryNode = (entry, shown, viewed) => {
  const flags = el("span", "flags")
  for (const [severity, count] of entry.counts) flags.append(titled(el("span", "flag", signNode(severity, ""), String(count), spoken(count === 1 ? ` ${severity}` : ` ${severity}s`)), plural(count, severity)))
  if (entry.folded) flags.append(titled(el("span", "flag folded", signNode("refuted", ""), String(entry.folded), spoken(" refuted or dismissed")), `${entry.folded} refuted or dismissed`))
  if (entry.failed) flags.append(titled(el("span", "flag ran", signNode("run", ""), entry.failed > 1 ? String(entry.failed) : ""), `${plural(entry.failed, "failure or fix", "failures and fixes")} of real runs`))
  if (viewed) flags.append(signNode("viewed"))
  const name = el("span", "name", cutName("", entry.name), entry.change ? changeNode(entry.change) : "")
  const node = titled(button(`entry${entry.absent ? " absent" : ""}${viewed ? " viewed" : ""}`, "open", name, flags), entry.title)
  node.dataset.path = entry.path
  if (entry.path === shown) node.setAttribute("aria-current", "true")
  return node
}

const draw = (s) => {
  const nodes = []
  const viewed = viewedFiles(s.data.viewer)
  let group
  for (const entry of s.data.entries) {
    if (entry.group !== group) nodes.push(el("h3", "", (group = entry.group)))
    nodes.push(entryNode(entry, s.data.shown, viewed.has(entry.path)))
  }
  const files = s.data.entries.filter(({ absent, path }) => !absent && !path.startsWith("//"))
  const seen = files.filter(({ path }) => viewed.has(path)).length
  nodes.push(el("div", `viewed-count muted${seen ? "" : " none"}`, signNode("viewed", ""), ` viewed: ${seen} of ${files.length}`))
  const focused = focusedIn(s)?.dataset.path
  s.root.replaceChildren(...nodes)
  // On a narrow screen the files stand in one line, which scrolls.
  const current = s.root.querySelector("[aria-current]")
  if (current) s.root.scrollLeft = current.offsetLeft - s.root.offsetLeft - (s.root.clientWidth - current.offsetWidth) / 2
  if (focused) [...s.root.querySelectorAll(".entry")].find((node) => node.dataset.path === focused)?.focus({ preventScroll: true })
}

export default mounted(draw, (made) => {
  listen(made, document, "areachair:viewed", () => draw(made))
  listen(made, made.root, "click", (event) => {
    const entry = event.target.closest("[data-path]")
    if (!entry) return
    for (const other of made.root.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current")
    entry.setAttribute("aria-current", "true")
    send(made, { kind: "open", file: entry.dataset.path })
  })
})
