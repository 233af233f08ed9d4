import { ask, askNode, askReviewers, assignChosen, bringUnsaved, chosen, claim, pick, pickPage, pickedBar, recount, restate, saidBar, save, stopAsking } from "./inbox_deciding.js"
import { sharing, tableNode } from "./inbox_row.js"
import { attr, el, focusedIn, isOpen, isRefused, link, listen, mounted, navigate, plainKey, plural, send } from "./shared.js"

export const rowsOf = (s) => [...s.root.querySelectorAll("tbody tr[data-id]")]

// Kept for the way back from a submission and for a reload.
const MARKED = "areachair-inbox-at"
const mark = (s) => {
  if (s.at) sessionStorage.setItem(MARKED, s.at)
  for (const row of rowsOf(s)) row.classList.toggle("at", row.dataset.id === s.at)
}

// Where a list was scrolled to, for the way back to it.
const SCROLLED = "areachair-inbox-scrolled"
const keepScroll = (s, top) => sessionStorage.setItem(SCROLLED, JSON.stringify([s.data.query, s.data.offset, top]))
const scrolledTo = (s) => {
  const [query, offset, top] = JSON.parse(sessionStorage.getItem(SCROLLED) ?? "[]")
  return query === s.data.query && offset === s.data.offset ? top : 0
}

const move = (s, by) => {
  const ids = s.data.rows.map((row) => row.id)
  const place = ids.indexOf(s.at)
  const turn = place < 0 ? null : s.data.pages[{ [-1]: "Previous", [ids.length]: "Next" }[place + by]]
  if (turn) {
    s.backwards = by < 0
    return navigate(turn)
  }
  s.at = ids[place < 0 ? 0 : Math.max(0, Math.min(ids.length - 1, place + by))]
  mark(s)
  s.focusRow()
}

const deeds = {
  decide: (s, node) => ask(s, node.dataset.verdict, node.closest("tr")?.dataset.id),
  save,
  cancel: stopAsking,
  offer: (s, node) => { s.form.field.value = node.title; s.form.field.focus() },
  page: pickPage,
  ask: askReviewers,
  every: (s) => { s.every = true; s.redraw() },
  unpick: (s) => { [s.every, s.picked, s.asked] = [false, new Set(), null]; s.redraw() },
  claim: (s, node) => claim(s, node.closest("tr")?.dataset.id),
  release: (s) => assignChosen(s, { action: "assign", to: null }),
  fold: (s, node) => fold(s, node.closest("tr").dataset.id),
  undo: (s) => {
    s.undoing = { action: "undo" }
    send(s, s.undoing, () => s.redraw())
    restate(s)
    s.focusRow()
  },
}

// The attempts of a lineage come from the store, so its row waits for them.
const fold = (s, id, on) => {
  const own = s.data.rows.find((one) => one.id === id)
  const row = own?.of ? s.data.rows.find((one) => one.id === own.of) : own
  if (!row?.first || row.matching < 2 || row.is_open === on) return
  s.at = row.id
  mark(s)
  send(s, { action: "open", first: row.first, on: !row.is_open })
}

const onClick = (s, event) => {
  const act = event.target.closest("[data-action]")
  if (act) {
    if (act.type !== "checkbox") event.preventDefault()
    return deeds[act.dataset.action](s, act)
  }
  const row = event.target.closest("tr[data-id]")
  if (row) {
    s.at = row.dataset.id
    mark(s)
  }
  if (!row || event.target.closest("a, form, label")) return
  if (event.target.closest(".pick") && !s.data.only_reads) {
    pick(s, row.dataset.id, event.shiftKey)
    return s.focusRow()
  }
  // The whole row leads where its name does; the name itself is a true link for the middle button and the keyboard.
  if (!String(window.getSelection())) row.querySelector("a").click()
}

const ACTS = "a, button, summary, [role=button], [role=tab], [role=option], [role=menuitem], [data-testid=stFileUploaderDropzone]"
const onEnter = (s, event) => {
  const row = rowsOf(s).find((one) => one.dataset.id === s.at)
  // Enter on a button or a link is theirs; a question that is open is answered first.
  if (!row || event.composedPath()[0].closest?.(ACTS)) return false
  if (s.form) s.form.field.focus()
  else row.querySelector("a").click()
  return true
}

const onKey = (s, event) => {
  if (!plainKey(event)) return
  const { key } = event
  if (isRefused(s, event, "12xXamu")) return
  if (key === "j" || key === "k") move(s, key === "j" ? 1 : -1)
  else if (key === "1" || key === "2") ask(s, key === "1" ? "ready" : "not_ready")
  else if (key === "x" || key === "X") (s.at ?? move(s, 1), pick(s, s.at, key === "X"), s.focusRow())
  else if (key === "a") pickPage(s)
  else if (key === "m") claim(s)
  else if ((key === "ArrowRight" || key === "ArrowLeft") && s.data.lineages) fold(s, s.at, key === "ArrowRight")
  else if (key === "u" && s.data.said?.undo) deeds.undo(s)
  else if (key === "Escape" && s.form) stopAsking(s)
  else if (key === "Escape" && chosen(s)) deeds.unpick(s)
  else if (key !== "Enter" || !onEnter(s, event)) return
  event.preventDefault()
  event.stopPropagation()
}

const footNode = (s) => {
  const { offset, rows, total, shown, more, pages, lineages } = s.data
  if (!rows.length) return null
  const here = rows.filter((row) => !row.of).length
  const count = more ? `${shown.toLocaleString()}+${lineages ? " lineages; the views count attempts" : ""}` : lineages ? `${plural(shown, "lineage").toLocaleString()} with ${plural(total, "attempt")} that match${total === 1 ? "es" : ""}; the views count attempts` : total.toLocaleString()
  const range = `${(offset + 1).toLocaleString()}–${(offset + here).toLocaleString()} of ${count}`
  const turns = attr(el("nav", "turns", ...Object.entries(pages).map(([words, href]) => link("act", href, words))), { "aria-label": "Pages" })
  const judging = s.data.only_reads ? [] : [["1", "ready"], ["2", "not ready"], ["x", "select"], ["m", "claim"]]
  const hints = [["j", "k", "move"], ["Enter", "open"], ...judging, ...(lineages ? [["→", "attempts"]] : []), ["?", "all keys"]]
  const keys = hints.map((hint) => el("span", "", ...hint.slice(0, -1).map((key) => el("kbd", "", key)), ` ${hint.at(-1)}`))
  return el("div", "foot muted", el("span", "", range), Object.keys(pages).length ? turns : null, el("span", "hints", ...keys))
}

const wrapNode = ({ columns, tight }, table) => {
  const reviewers = columns.filter(({ kind }) => kind === "reviewer").length
  const wrap = el("div", ["wrap", reviewers > 3 && "many", tight && "tight", ...columns.map(({ kind }) => `with-${kind}`)].filter(Boolean).join(" "), table)
  wrap.style.setProperty("--reviewers", String(reviewers))
  wrap.style.setProperty("--texts", `${columns.reduce((sum, { width }) => sum + width, 0)}px`)
  return wrap
}

// Where the table would be wider than its place, its words stand closer; where that is not enough, reviewers share a column.
// Whether that has changed.
const fit = (s) => {
  const before = `${s.columns?.length} ${s.tight}`
  for (const [columns, tight] of [[s.data.columns, false], [s.data.columns, true], [sharing(s.data.columns), false], [sharing(s.data.columns), true]]) {
    Object.assign(s, { columns, tight })
    const trial = wrapNode(s, tableNode(s, []))
    trial.style.overflowY = "scroll"
    s.root.append(trial)
    const fits = trial.scrollWidth <= trial.clientWidth
    trial.remove()
    if (fits) break
  }
  return `${s.columns.length} ${s.tight}` !== before
}

const start = (s) => {
  Object.assign(s, { picked: new Set(), pending: new Map(), reasons: {}, every: false, asked: null, restate: () => restate(s) })
  s.near = ({ action, ids }) => s.root.querySelector(action === "undo" ? ".said" : ids?.length === 1 ? `[data-id="${ids[0]}"] .what` : "thead .what")
  s.focusRow = () => {
    const node = rowsOf(s).find((row) => row.dataset.id === s.at)
    node?.querySelector("a").focus({ preventScroll: true })
    node?.scrollIntoView({ block: "nearest" })
  }
  s.redraw = () => {
    const { rows } = s.data
    recount(s)
    const table = tableNode(s)
    const asked = s.asked?.id && table.querySelector(`[data-id="${s.asked.id}"]`)
    if (asked) asked.after(el("tr", "asking", el("td", "", askNode(s))))
    const wrap = wrapNode(s, table)
    const before = s.root.querySelector(".wrap")
    const [left, top] = before ? [before.scrollLeft, before.scrollTop] : [0, scrolledTo(s)]
    s.root.replaceChildren(...[pickedBar(s), rows.length ? wrap : null, saidBar(s), footNode(s)].filter(Boolean))
    Object.assign(wrap, { scrollLeft: left, scrollTop: top })
    wrap.addEventListener("scroll", () => keepScroll(s, wrap.scrollTop), { passive: true })
    // A cell that is wider than the columns in sight would add one and move them all.
    if (asked) asked.nextSibling.firstChild.colSpan = [...wrap.querySelectorAll("thead th")].filter((title) => title.offsetWidth).length
    mark(s)
  }
  s.at = sessionStorage.getItem(MARKED)
  s.back = true
  const place = new ResizeObserver(() => {
    if (!s.columns || !fit(s)) return
    s.redraw()
    s.form?.field.focus()
  })
  place.observe(s.root)
  s.unlisten.push(() => place.disconnect())
  listen(s, s.root, "click", (event) => onClick(s, event))
  listen(s, window, "keydown", (event) => onKey(s, event), true)
}

export default mounted((s) => {
  const here = focusedIn(s)
  const typed = here?.classList.contains("reason") ? here : null
  const ids = new Set(s.data.rows.map((row) => row.id))
  for (const [id, { event, unsigned }] of s.pending) if (!unsigned && !isOpen(s, event)) s.pending.delete(id)
  bringUnsaved(s)
  // All that match is another all under another question.
  if (s.every && s.question !== s.data.query) [s.every, s.picked] = [false, new Set()]
  s.question = s.data.query
  s.picked = new Set([...s.picked].filter((id) => ids.has(id)))
  if (s.asked?.id && !ids.has(s.asked.id)) s.asked = s.form = null
  if (s.at && !ids.has(s.at)) s.at = s.back ? null : s.data.rows.find((row) => row.open)?.id
  const turned = s.offset !== undefined && s.offset !== s.data.offset
  if (turned) s.at = s.data.rows.at(s.backwards ? -1 : 0)?.id
  Object.assign(s, { offset: s.data.offset, backwards: false })
  if (turned || s.listed !== s.data.query) s.root.querySelector(".wrap")?.scrollTo(0, s.listed === undefined ? scrolledTo(s) : 0)
  s.listed = s.data.query
  fit(s)
  s.redraw()
  // What a redraw took the focus from gets it back; a page is read from its top, and who comes back goes on where they were.
  if (typed && s.form) s.form.field.focus()
  else if (s.at && (here || turned || (s.back && document.activeElement === document.body))) s.focusRow()
  s.back = false
}, start)
