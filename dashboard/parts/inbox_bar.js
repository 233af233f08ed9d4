import { arrange, attr, button, choice, el, focusedIn, link, listen, mounted, navigate, plainKey, send, sheetOpen, typing } from "./shared.js"
import { signNode } from "./signs.js"

const PAUSE = 250

// Outlives the mount: Streamlit may draw the whole page anew under someone who has just come back to it.
let open = false
/** @type {Set<string>} */
const added = new Set()

// The address is the only place that says what is asked for: whatever is chosen here goes there. It is read anew each time,
// since Python may not have answered the choice before.
const asked = () => Object.fromEntries(new URLSearchParams(window.location.search))

const go = (changes, replace = false) => {
  const params = Object.entries({ ...asked(), page: "", ...changes }).filter(([, value]) => value)
  const address = `./?${new URLSearchParams(params)}`
  if (!replace) return navigate(address)
  window.history.replaceState({}, "", address)
  window.dispatchEvent(new PopStateEvent("popstate"))
}

const search = (s) => {
  clearTimeout(s.waiting)
  const text = s.input.value.trim()
  // Who went on to another page meanwhile is not brought back.
  if (text === (asked().q ?? "") || window.location.pathname !== s.path) return
  // One entry of the history for one search, however it was typed.
  go({ q: text }, s.searching)
  s.searching = true
}

const inputNode = (s) => {
  const node = el("input", "search")
  Object.assign(node, { type: "search", maxLength: 300 })
  node.addEventListener("focus", () => { s.searching = false })
  node.addEventListener("input", () => {
    clearTimeout(s.waiting)
    s.waiting = setTimeout(() => search(s), PAUSE)
  })
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter") search(s)
    if (event.key === "Enter" || event.key === "Escape") node.blur()
  })
  return node
}

// What is on the page stays as long as it says the same: no click falls between two drawings, and nothing half typed is lost.
const kept = (s, words, make) => s.kept.get(words) ?? s.kept.set(words, make()).get(words)

const FIRST_DAY = "1990-01-01"
// A year that is being typed is year 2 first, then 20, then 202.
const whole = (node) => node.type !== "date" || !node.value || node.value >= FIRST_DAY

const newField = (field) => {
  const isChoice = field.kind === "choice"
  const options = isChoice ? [["", "any"], ...field.options].map(([value, words]) => Object.assign(el("option", "", words), { value })) : []
  const node = isChoice ? el("select", "", ...options) : Object.assign(el("input"), { type: field.kind === "date" ? "date" : "text" })
  node.name = field.name
  const label = el("label", "", el("span", "", field.label), node)
  if (field.kind === "typed") {
    const list = Object.assign(el("datalist"), { id: `known-${field.name}` })
    for (const [id] of field.options) list.append(Object.assign(el("option"), { value: id }))
    node.setAttribute("list", list.id)
    label.append(list)
  }
  node.addEventListener("change", () => whole(node) && go({ [field.name]: node.value }))
  return { label, node }
}

const fieldNode = (s, field) => {
  const { label, node } = kept(s, JSON.stringify(field), () => newField(field))
  const value = s.data.params[field.name] ?? ""
  const typed = node.tagName === "INPUT" && focusedIn(s) === node
  if (node.value !== value && !typed) node.value = value
  label.classList.toggle("set", Boolean(value))
  return label
}

const chipNode = ({ name, words }) => {
  const node = attr(button("chip", "away", words, signNode("close", "")), { "aria-label": `Remove: ${words}` })
  node.addEventListener("click", () => go({ [name]: "" }))
  return node
}

const sortNode = (s) => {
  const node = choice("sort", "Sort by", s.data.sorts, s.data.sort)
  node.addEventListener("change", () => go({ sort: node.value === s.data.sorts[0][0] ? "" : node.value }))
  return el("label", "sort", el("span", "muted", "Sort"), node)
}

// The filters that are used most, those that are set, and those that were added; the others wait behind one choice.
const shownFields = (s) => s.data.fields.filter(({ first, name }) => first || s.data.params[name] || added.has(name))

const addNode = (s) => {
  const others = s.data.fields.filter((field) => !shownFields(s).includes(field))
  const node = choice("add-filter", "Add filter", [["", "choose…"], ...others.map(({ name, label }) => [name, label])], "")
  node.addEventListener("change", () => {
    const name = node.value
    added.add(name)
    draw(s)
    s.panel.querySelector(`[name="${CSS.escape(name)}"]`)?.focus()
  })
  return el("label", "add", el("span", "", "Add filter"), node)
}

// Rows as attempts or as lineages is part of the address, and so is any saved view of them.
const rowsNode = (s) => {
  const kinds = [["Attempts", ""], ["Lineages", "lineages"]]
  const links = kinds.map(([words, value]) => {
    const params = Object.entries({ ...asked(), page: "", rows: value }).filter(([, each]) => each)
    const node = link("kind", params.length ? `./?${new URLSearchParams(params)}` : "./", words)
    if (Boolean(value) === s.data.lineages) node.setAttribute("aria-current", "true")
    return node
  })
  return attr(el("nav", "rows", ...links), { "aria-label": "Rows" })
}

const columnNode = (s, [id, title, shown]) => {
  const box = Object.assign(el("input"), { type: "checkbox", checked: shown })
  box.addEventListener("change", () => send(s, { action: "columns", shown: { [id]: box.checked } }))
  return el("label", "", box, ` ${title}`)
}

const columnsNode = (s) => {
  const boxes = s.data.columns.map((column) => kept(s, `column ${JSON.stringify(column)}`, () => columnNode(s, column)))
  const reset = kept(s, "columns", () => {
    const node = button("more", "reset", "As they come")
    node.addEventListener("click", () => send(s, { action: "columns", shown: {} }))
    return node
  })
  arrange(s.boxes, s.data.chosen ? [...boxes, reset] : boxes)
  return s.chooser
}

// Saved by the browser once, whatever is drawn again.
const saveFile = (s) => {
  const file = s.data.csv
  if (!file || s.file === file.number) return
  s.file = file.number
  const url = URL.createObjectURL(new Blob([file.text], { type: "text/csv;charset=utf-8" }))
  const node = Object.assign(el("a"), { href: url, download: "areachair-inbox.csv" })
  node.click()
  setTimeout(() => URL.revokeObjectURL(url), 10000)
  s.cut.textContent = file.cut
}

const togglePanel = (s) => {
  open = !open
  draw(s)
  if (open) s.root.querySelector(".panel select").focus()
}

// Escape is for the field that it is pressed in; one press does one thing.
const leave = (s, event) => {
  const at = event.composedPath()[0]
  if (at === s.input || event.defaultPrevented || sheetOpen()) return
  if (at.name === "sort") return at.blur()
  if (s.chooser.open) {
    s.chooser.open = false
    return s.chooser.querySelector("summary")?.focus()
  }
  if (!open || (typing(event) && !event.composedPath().includes(s.panel))) return
  event.stopImmediatePropagation()
  togglePanel(s)
}

const draw = (s) => {
  const { chips } = s.data
  const count = chips.filter((chip) => chip.name !== "q").length
  s.filter.firstChild.textContent = count ? `Filter · ${count}` : "Filter"
  s.filter.classList.toggle("on", open)
  s.filter.setAttribute("aria-expanded", String(open))
  s.input.placeholder = s.data.blind ? "Search names and titles" : "Search names, hypotheses, findings, code"
  s.input.setAttribute("aria-label", s.input.placeholder)
  s.off.textContent = s.data.off
  s.off.hidden = !s.data.off
  s.ignored.textContent = s.data.ignored
  const shown = chips.map((chip) => kept(s, `${chip.name}=${chip.words}`, () => chipNode(chip)))
  arrange(s.chips, chips.length > 1 ? [...shown, s.away] : shown)
  const panel = open ? s.panel : null
  const focused = focusedIn(s)?.name
  const sorting = kept(s, JSON.stringify(s.data.sorts), () => sortNode(s))
  const line = s.line ?? (s.line = el("div", "line"))
  arrange(line, [s.field, s.filter, sorting, kept(s, `rows ${s.data.lineages} ${window.location.search}`, () => rowsNode(s)), columnsNode(s), s.csv])
  s.found.textContent = s.data.found && `on this page: ${s.data.found}`
  saveFile(s)
  sorting.lastChild.value = s.data.sort
  if (panel) arrange(panel, [...shownFields(s).map((field) => fieldNode(s, field)), kept(s, `add ${shownFields(s).map(({ name }) => name)}`, () => addNode(s)), s.off])
  arrange(s.root, [line, s.data.ignored ? s.ignored : null, panel, chips.length ? s.chips : null, s.cut.textContent ? s.cut : null].filter(Boolean))
  if (focused && focusedIn(s)?.name !== focused) s.root.querySelector(`[name="${CSS.escape(focused)}"]`)?.focus()
}

const start = (s) => {
  s.path = window.location.pathname
  s.kept = new Map()
  s.filter = button("act", "filter", el("span"), el("kbd", "", "f"))
  s.filter.addEventListener("click", () => togglePanel(s))
  s.away = button("more", "clear", "Clear all")
  s.away.addEventListener("click", () => go(Object.fromEntries(s.data.chips.map(({ name }) => [name, ""]))))
  s.chips = el("div", "chips")
  s.off = el("p", "off muted")
  s.ignored = attr(el("p", "ignored"), { role: "status" })
  s.panel = el("div", "panel")
  s.input = inputNode(s)
  s.found = attr(el("span", "found muted"), { role: "status" })
  s.field = el("div", "field", s.input, s.found, el("kbd", "", "/"))
  s.boxes = el("div", "boxes")
  s.chooser = el("details", "columns", el("summary", "act", "Columns ", signNode("menu", "")), s.boxes)
  s.csv = button("act", "csv", "CSV")
  s.csv.title = "Save the rows of this list, on every page, with the columns that are shown"
  s.csv.addEventListener("click", () => send(s, { action: "csv" }))
  s.cut = attr(el("p", "ignored"), { role: "status" })
  listen(s, document, "click", (event) => { if (s.chooser.open && !event.composedPath().includes(s.chooser)) s.chooser.open = false })
  listen(s, window, "keydown", (event) => {
    if (event.key === "Escape") return leave(s, event)
    if (!plainKey(event) || !["/", "f"].includes(event.key)) return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === "f") return togglePanel(s)
    s.input.focus()
    s.input.select()
  }, true)
}

export default mounted((s) => {
  // What is being typed is newer than what Python has seen of it.
  if (focusedIn(s) !== s.input) s.input.value = s.data.params.q ?? ""
  draw(s)
}, start)
