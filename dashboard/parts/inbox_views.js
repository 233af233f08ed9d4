import { nextLink, listenNext } from "./onward.js"
import { attr, button, el, focusedIn, formKeys, link, listen, mounted, send, titled } from "./shared.js"
import { signNode } from "./signs.js"

const viewLink = (view) => {
  if (view.count === null) {
    const off = attr(el("span", "view off", el("span", "words", view.words), el("span", "amount", "off")), { role: "link", "aria-disabled": "true" })
    return titled(off, view.about)
  }
  const node = link(`view ${view.now ? "now" : ""}`, view.href, el("span", "words", view.words), el("span", "amount", view.count.toLocaleString()))
  if (view.now) node.setAttribute("aria-current", "page")
  return titled(node, view.about)
}

// A view that this person saved: a link with its count, and what can be done to it behind one button.
const savedNode = (s, view) => {
  const more = attr(button("edit", "edit", signNode("options", "")), { "aria-label": `Rename or delete ${view.words}`, "aria-expanded": String(s.editing === view.name) })
  more.addEventListener("click", () => edit(s, s.editing === view.name ? null : view.name))
  return el("div", "saved", viewLink(view), more)
}

const edit = (s, name) => {
  s.editing = name
  draw(s)
  s.root.querySelector(name === null ? ".save" : ".named input")?.focus()
}

const nameForm = (s, label, value, give, ...acts) => {
  const field = Object.assign(el("input"), { type: "text", maxLength: s.data.longest, value, placeholder: "Name of the view" })
  field.setAttribute("aria-label", label)
  const save = () => {
    if (!field.value.trim()) return field.focus()
    give(field.value.trim())
    edit(s, null)
  }
  const saving = button("act strong", "name", "Save", el("kbd", "", "Enter"))
  saving.addEventListener("click", save)
  const node = el("div", "named", field, el("span", "acts", saving, ...acts))
  formKeys(node, { save, close: () => edit(s, null) })
  return node
}

const renameForm = (s, { name }) => {
  const away = button("act", "away", "Delete")
  away.addEventListener("click", () => { send(s, { action: "delete_view", name }); edit(s, null) })
  return nameForm(s, `New name of ${name}`, name, (given) => send(s, { action: "rename_view", old: name, new: given }), away)
}

const NEW = Symbol("a view without a name yet")
const saveNode = (s) => {
  if (s.editing === NEW) return nameForm(s, "Name of the new view", "", (name) => send(s, { action: "save_view", name }))
  if (!s.data.savable) return null
  const node = button("more save", "save", "Save this view")
  node.addEventListener("click", () => edit(s, NEW))
  return node
}

const savedViews = (s) => {
  const { saved } = s.data
  const rows = saved.flatMap((view) => [savedNode(s, view), s.editing === view.name ? renameForm(s, view) : null])
  const last = saveNode(s)
  if (!saved.length && !last) return null
  return attr(el("nav", "views own", saved.length ? el("span", "title muted", "Mine") : null, ...rows, last), { "aria-label": "Views that you saved" })
}

const bar = (words, decided, total, narrow = "") => {
  const track = attr(el("div", "track", Object.assign(el("div", "done"), { style: `width: ${total ? (100 * decided) / total : 0}%` })), { role: "progressbar", "aria-label": words })
  for (const [name, value] of [["min", 0], ["max", total], ["now", decided]]) track.setAttribute(`aria-value${name}`, value)
  const told = el("span", "", el("b", "", `${decided.toLocaleString()} of ${total.toLocaleString()}`), el("span", narrow && "wide", ` ${words}`))
  if (narrow) told.append(el("span", "narrow", ` here · ${narrow} in all`))
  return el("div", "progress", told, track)
}

const onward = (data) => {
  if (data.next) return el("div", "onward", nextLink(data.next))
  if (!data.total) return null
  const here = data.here ?? { total: data.total, decided: data.decided }
  if (!here.total || here.decided < here.total) return null
  return el("div", "onward muted", "Everything here is decided. ", link("more", "trends", "See what failed most"))
}

// A file that is dragged over the page opens the place to drop it.
const offerPlace = (s) => listen(s, document, "dragenter", (event) => {
  if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return
  if (!document.querySelector('[data-testid="stFileUploaderDropzone"]')) /** @type {HTMLElement | null} */ (document.querySelector(".st-key-inbox-import button"))?.click()
})

// Streamlit keeps what is too large to itself, so it is said here.
const watchLarge = (s) => {
  const look = (files) => {
    const large = [...files].filter((file) => file.size > s.data.most).map((file) => file.name)
    if (large.length || s.data.large) send(s, { action: "large", names: large.slice(0, 50) })
  }
  listen(s, document, "change", ({ target }) => target.type === "file" && look(target.files), true)
  listen(s, document, "drop", ({ target, dataTransfer }) => {
    if (target.closest?.('[data-testid="stFileUploaderDropzone"]')) look(dataTransfer?.files ?? [])
  }, true)
}

const draw = (s) => {
  const { views, decided, total, here, by } = s.data
  const nav = attr(el("nav", "views", ...views.map(viewLink)), { "aria-label": "Views" })
  const all = `${decided.toLocaleString()} of ${total.toLocaleString()}`
  const inView = here?.total ? bar(`${by} in this view`, here.decided, here.total, all) : null
  const work = el("div", "work", bar(by, decided, total), inView, onward(s.data))
  s.root.replaceChildren(...[nav, savedViews(s), work].filter(Boolean))
}

export default mounted((s) => {
  // Who is typing a name goes on typing.
  if (focusedIn(s)?.tagName !== "INPUT") draw(s)
}, (made) => {
  made.editing = null
  offerPlace(made)
  watchLarge(made)
  listenNext(made)
})
