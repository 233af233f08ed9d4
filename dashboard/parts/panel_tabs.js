// Tabs, the last of which opens a menu of what is wanted less often; beside them how the list of findings is shown.
import { orderNow, setOrder } from "./list_order.js"
import { attr, button, el, focusedIn, listen, mounted, send, tell } from "./shared.js"
import { signNode } from "./signs.js"

const choose = (s, name) => {
  s.chosen = name
  s.open = false
  draw(s)
  send(s, { kind: "panel", name })
}

const labelOf = (s, name) => [name, s.data.counts[name] ? el("span", "n", ` ${s.data.counts[name]}`) : null]

const tabNode = (s, name) => {
  const node = attr(button("tab", "panel", ...labelOf(s, name)), { role: "tab", "aria-selected": String(s.chosen === name) })
  node.tabIndex = s.chosen === name ? 0 : -1
  node.dataset.name = name
  node.addEventListener("click", () => choose(s, name))
  return node
}

const moreNode = (s) => {
  const inside = s.data.more.includes(s.chosen)
  const node = attr(button("more", "more", inside ? `${s.chosen} ` : "More ", signNode("menu", "")), { "aria-haspopup": "menu", "aria-expanded": String(s.open) })
  if (inside) attr(node, { "aria-label": `${s.chosen}, more panels` }).classList.add("on")
  node.addEventListener("click", () => {
    s.open = !s.open
    draw(s)
    if (s.open) s.root.querySelector("[role=menuitemradio]")?.focus()
  })
  const items = s.data.more.map((name) => {
    const item = attr(button("menu-item", "panel", ...labelOf(s, name)), { role: "menuitemradio", "aria-checked": String(s.chosen === name) })
    item.dataset.name = name
    item.addEventListener("click", () => choose(s, name))
    return item
  })
  const menu = attr(el("div", "menu", ...items), { role: "menu", "aria-label": "More" })
  menu.hidden = !s.open
  return el("span", "box", node, menu)
}

// The list of findings listens; its filters are folded until they are wanted.
const listSwitches = (s) => {
  const order = button("order", "order", orderNow() === "weight" ? "by weight" : "by file")
  order.title = "List findings by weight or by file"
  order.addEventListener("click", () => {
    setOrder(orderNow() === "weight" ? "file" : "weight")
    draw(s)
    s.root.querySelector(".order")?.focus()
  })
  const filter = attr(button("filter", "filters", "Filter"), { "aria-pressed": String(Boolean(s.filters)) })
  filter.addEventListener("click", () => {
    s.filters = !s.filters
    tell("filters", { shown: s.filters })
    draw(s)
    s.root.querySelector(".filter")?.focus()
  })
  return [filter, order]
}

const draw = (s) => {
  const focused = focusedIn(s)?.dataset.name
  // What is taken away loses the focus, which means nothing here.
  s.drawing = true
  const tabs = attr(el("div", "tabs", ...s.data.tabs.map((name) => tabNode(s, name))), { role: "tablist", "aria-label": "Panel" })
  s.root.replaceChildren(tabs, ...(s.data.more.length ? [moreNode(s)] : []), el("span", "fill"), ...(s.chosen === "Findings" ? listSwitches(s) : []))
  s.drawing = false
  if (focused) s.root.querySelector(`[data-name="${focused}"]`)?.focus({ preventScroll: true })
}

const onKey = (s, event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key]
  const row = event.target.closest("[role=tablist], [role=menu]")
  if (event.key === "Escape" && s.open) {
    s.open = false
    draw(s)
    s.root.querySelector(".more")?.focus()
  } else if (by && row) {
    const nodes = [...row.children]
    const next = nodes.at((nodes.indexOf(event.target) + by) % nodes.length)
    next.focus()
    if (row.matches("[role=tablist]")) next.click()
  } else return
  event.preventDefault()
  event.stopPropagation()
}

export default mounted((s) => {
  if (!s.queue.length) s.chosen = s.data.chosen
  // A page that is drawn again for something else leaves an open menu as it is.
  const { tabs, more, counts } = s.data
  const text = JSON.stringify([tabs, more, counts, s.chosen])
  if (text !== s.text) draw(s)
  s.text = text
}, (made) => {
  Object.assign(made, { open: false, filters: false, fate: null })
  listen(made, made.root, "keydown", (event) => onKey(made, event))
  listen(made, made.root, "focusout", (event) => {
    if (!made.open || made.drawing || made.root.contains(event.relatedTarget)) return
    made.open = false
    draw(made)
  })
  // What happened to findings is asked for over the code, whichever panel is open: the list answers once it is drawn.
  listen(made, document, "areachair:since", ({ detail }) => {
    if (made.chosen === "Findings") return
    made.fate = detail.fate
    choose(made, "Findings")
  })
  // A list that is drawn anew asks whether its filters are shown.
  listen(made, document, "areachair:list", () => {
    tell("filters", { shown: made.filters })
    const fate = made.fate
    made.fate = null
    if (fate) queueMicrotask(() => tell("since", { fate }))
  })
})
