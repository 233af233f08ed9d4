import { el, link, listen, mounted, navigate, plainKey, send, titled } from "./shared.js"

const viewLink = (view) => {
  if (view.count === null) {
    const off = el("span", "view off", el("span", "words", view.words), el("span", "amount", "off"))
    off.setAttribute("role", "link")
    off.setAttribute("aria-disabled", "true")
    return titled(off, view.about)
  }
  const node = link(`view ${view.now ? "now" : ""}`, view.href, el("span", "words", view.words), el("span", "amount", view.count.toLocaleString()))
  if (view.now) node.setAttribute("aria-current", "page")
  return titled(node, view.about)
}

const bar = (words, decided, total, narrow = "") => {
  const track = el("div", "track", Object.assign(el("div", "done"), { style: `width: ${total ? (100 * decided) / total : 0}%` }))
  track.setAttribute("role", "progressbar")
  track.setAttribute("aria-label", words)
  for (const [name, value] of [["min", 0], ["max", total], ["now", decided]]) track.setAttribute(`aria-value${name}`, value)
  const told = el("span", "", el("b", "", `${decided.toLocaleString()} of ${total.toLocaleString()}`), el("span", narrow && "wide", ` ${words}`))
  if (narrow) told.append(el("span", "narrow", ` here · ${narrow} in all`))
  return el("div", "progress", told, track)
}

const onward = (data) => {
  if (data.next) return el("div", "onward", link("act strong", data.next, "Review next", el("kbd", "", "n")))
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

export default mounted((s) => {
  const { views, decided, total, here, by } = s.data
  const nav = el("nav", "views", ...views.map(viewLink))
  nav.setAttribute("aria-label", "Views")
  const all = `${decided.toLocaleString()} of ${total.toLocaleString()}`
  const inView = here?.total ? bar(`${by} in this view`, here.decided, here.total, all) : null
  const work = el("div", "work", bar(by, decided, total), inView, onward(s.data))
  s.root.replaceChildren(nav, work)
}, (made) => {
  offerPlace(made)
  watchLarge(made)
  listen(made, window, "keydown", (event) => {
    if (!plainKey(event) || event.key !== "n" || !made.data.next) return
    event.preventDefault()
    navigate(made.data.next)
  }, true)
})
