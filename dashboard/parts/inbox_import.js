import { attr, button, el, mounted, plural, send } from "./shared.js"

const fileNode = ({ name, state, said }) =>
  el("li", state.replace(" ", "-"), el("span", "name", name), el("span", "state", state),
     el("span", "muted", said))

export default mounted((s) => {
  const { files, over, live } = s.data
  const kept = files.filter(({ state }) => state !== "refused").length
  const close = button("act", "close", "Close")
  close.addEventListener("click", () => { s.root.hidden = true; send(s, { action: "close" }) })
  const words = live ? `Importing: ${over} of ${plural(files.length, "file")} read and reviewed` : `Imported ${kept < files.length ? `${kept} of ` : ""}${plural(files.length, "file")}`
  const track = Object.assign(el("progress"), { max: files.length, value: over })
  track.setAttribute("aria-label", words)
  const head = attr(el("div", "head", el("b", "", words), live ? track : close), { role: "status" })
  s.root.hidden = false
  s.root.replaceChildren(head, el("ul", "", ...files.map(fileNode)))
})
