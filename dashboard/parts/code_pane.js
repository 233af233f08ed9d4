import { attr, button, el, link, listen, mounted, send, tell } from "./shared.js"
import { reviewerMark, signNode } from "./signs.js"
import { tokenText } from "./token_text.js"

const showPane = (open) => { document.documentElement.dataset.pane = open ? "open" : "" }

const lineNode = (s, tokens, number) => {
  const [first, last] = s.data.marked
  return el("div", `line${number >= first && number <= last ? " marked" : ""}`, el("span", "number", String(number)), tokenText(tokens))
}

const toldNode = (one) => {
  const node = el("li", "told", reviewerMark(one), signNode(one.check), el("div", "wrap", one.words))
  if (one.evidence && one.evidence !== one.words) node.append(el("div", "evidence muted wrap", one.evidence))
  return node
}

const addressOf = ({ submission, file, id }) => {
  const to = new URL(submission, window.location.href)
  if (file) to.searchParams.set("file", file)
  to.searchParams.set("finding", id)
  return `submission${to.search}`
}

const draw = (s) => {
  const d = s.data
  if (!d.key) return s.root.replaceChildren()
  const close = button("act", "close", "Close ", el("kbd", "", "Esc"))
  close.addEventListener("click", () => {
    showPane(false)
    tell("unlook")
  })
  const code = attr(el("div", "code", ...d.lines.map((tokens, at) => lineNode(s, tokens, d.from + at))), { tabindex: "0", role: "region", "aria-label": d.place })
  s.root.replaceChildren(
    el("div", "bar", el("span", "path mono", d.place), link("act", addressOf(d), "Open in the code ", el("kbd", "", "Enter")), close),
    d.note ? el("p", "muted", d.note) : "", d.lines.length ? code : "",
    el("ul", "all", ...d.told.map(toldNode)),
  )
  s.root.querySelector(".marked")?.scrollIntoView({ block: "nearest" })
}

export default mounted((s) => {
  const drawn = JSON.stringify({ ...s.data, done: null })
  if (drawn !== s.drawn) draw(s)
  s.drawn = drawn
}, (made) => {
  showPane(false)
  listen(made, document, "areachair:look", (event) => {
    showPane(event.detail !== null)
    if (event.detail && event.detail.key !== made.data.key) send(made, { kind: "look", key: event.detail.key })
  })
  made.unlisten.push(() => showPane(false))
})
