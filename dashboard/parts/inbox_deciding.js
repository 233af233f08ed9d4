// Which rows are picked, and the verdict with its reason on one of them, on several, or on all that match.
import { drafts, setDraft } from "./drafts.js"
import { decideButton, decisionCell } from "./inbox_row.js"
import { rowsOf } from "./inbox_table.js"
import { LATE_WORDS, attr, button, el, formKeys, heldText, isLate, isOpen, plural, send, waits, waitsNode } from "./shared.js"
import { verdictPill } from "./signs.js"

export const WORDS = { ready: "ready", not_ready: "not ready" }
const OFFERED = { ready: ["No blocker remains", "All blockers are refuted"], not_ready: ["A blocker is confirmed", "It does not start"] }

const idsChosen = (s) => (s.every ? s.data.rows.map((row) => row.id) : [...s.picked])

export const chosen = (s) => (s.every ? s.data.total : s.picked.size)

export const pick = (s, id, range = false) => {
  const ids = s.data.rows.map((row) => row.id)
  if (s.every) s.picked = new Set(ids)
  s.every = false
  const on = !s.picked.has(id)
  const [from, to] = range && ids.includes(s.pickedLast) ? [ids.indexOf(s.pickedLast), ids.indexOf(id)] : [ids.indexOf(id), ids.indexOf(id)]
  for (const one of ids.slice(Math.min(from, to), Math.max(from, to) + 1)) on ? s.picked.add(one) : s.picked.delete(one)
  s.pickedLast = id
  s.redraw()
}

export const pickPage = (s) => {
  const ids = s.data.rows.map((row) => row.id)
  const full = s.every || ids.every((id) => s.picked.has(id))
  s.every = false
  s.picked = new Set(full ? [] : ids)
  s.redraw()
}

export const ask = (s, verdict, id = null, keep = true) => {
  if (!id && !chosen(s)) id = s.at ?? s.data.rows[0]?.id
  if (!id && !chosen(s)) return
  const left = s.pending.get(id)
  const reason = (left?.unsigned && left.verdict === verdict ? left.event.reason : s.reasons[verdict]) ?? ""
  s.asked = { verdict, id: chosen(s) && !id ? null : id, count: chosen(s), reason, sure: false, keep }
  s.form = null
  s.redraw()
  const field = s.root.querySelector(".ask input.reason")
  field?.focus()
  field?.select()
}

// The price comes first: Python shows it for the same list.
export const askReviewers = (s) => send(s, { action: "ask", ...(s.every ? { total: s.data.total } : { ids: [...s.picked] }) })

// What is asked about all that are selected says how many they are.
export const recount = (s) => {
  if (!s.asked || s.asked.id || s.asked.count === chosen(s)) return
  const reason = s.form?.field.value ?? s.asked.reason
  s.asked = chosen(s) ? { ...s.asked, count: chosen(s), reason, sure: false } : null
  s.form = null
}

export const stopAsking = (s) => {
  // What was typed is offered again.
  if (s.form?.field.value.trim()) s.reasons[s.asked.verdict] = s.form.field.value.trim()
  for (const id of s.asked?.id ? [s.asked.id] : idsChosen(s)) {
    if (!s.pending.get(id)?.unsigned && !drafts()[id]?.unsaved) continue
    if (s.pending.get(id)?.unsigned) s.pending.delete(id)
    setDraft(id, drafts()[id] && { ...drafts()[id], unsaved: undefined })
  }
  s.asked = s.form = null
  s.redraw()
  s.focusRow()
}

export const save = (s) => {
  const { verdict, id, keep } = s.asked
  const reason = s.form.field.value.trim()
  const count = id ? 1 : chosen(s)
  if (!reason) {
    s.form.note.textContent = "Say why in a few words, then press Enter."
    return s.form.field.focus()
  }
  if (s.every && !id && !s.asked.sure) {
    s.asked.sure = true
    const told = plural(keep ? count - s.data.decided : count, "submission")
    s.form.note.textContent = `This decides on ${told}, on every page. Press Enter again to confirm.`
    s.form.save.firstChild.textContent = "Yes, decide"
    return
  }
  s.reasons[verdict] = reason
  const ids = id ? [id] : idsChosen(s)
  const event = s.every && !id ? { action: "decide_all", verdict, reason, total: s.data.total, keep } : { action: "decide", ids, verdict, reason }
  for (const one of ids) s.pending.set(one, { verdict, event })
  send(s, event, () => takeBack(s, event))
  if (!id) [s.every, s.picked] = [false, new Set()]
  // Finish and advance: the next one that is still open.
  const rows = s.data.rows
  const place = rows.findIndex((row) => row.id === (id ?? s.at))
  const next = [...rows.slice(place + 1), ...rows.slice(0, Math.max(0, place))].find((row) => row.open && !s.pending.has(row.id))
  s.at = next?.id ?? s.at
  stopAsking(s)
}

// Nobody signed it: its rows say so, and the question with its reason is here again where no other one is.
const takeBack = (s, event) => {
  const { action, ids, verdict, keep } = event
  for (const pending of s.pending.values()) if (pending.event === event) pending.unsigned = true
  if (s.asked) return s.redraw()
  event.reason = heldText(event.reason)
  if (action === "decide_all") s.every = true
  else if (ids.length > 1) s.picked = new Set(ids)
  s.at = ids?.[0] ?? s.at
  s.reasons[verdict] = event.reason
  ask(s, verdict, ids?.length === 1 ? ids[0] : null, keep)
  // A person who goes on typing replaces nothing.
  s.form?.field.setSelectionRange(s.form.field.value.length, s.form.field.value.length)
}

// What was decided on a submission's own page, which was left before anybody signed it.
export const bringUnsaved = (s) => {
  for (const { id } of s.data.rows) {
    const { unsaved, verdict, reason } = drafts()[id] ?? {}
    if (unsaved && verdict && !s.pending.has(id)) s.pending.set(id, { verdict, unsigned: true, event: { reason } })
  }
}

const reasonsOf = (s, verdict) => [...new Set([...(s.data.person.reasons[verdict] ?? []), ...OFFERED[verdict]])].slice(0, 6)

export const askNode = (s) => {
  if (s.form) return s.form.node
  const { verdict, id } = s.asked
  const name = id ? s.data.rows.find((row) => row.id === id)?.name ?? "it" : plural(chosen(s), "submission")
  const field = Object.assign(el("input", "reason"), { type: "text", value: s.asked.reason, maxLength: 500, placeholder: "Reason" })
  field.setAttribute("aria-label", `Reason why ${name} ${id || chosen(s) === 1 ? "is" : "are"} ${WORDS[verdict]}`)
  const reasons = reasonsOf(s, verdict)
  const offer = reasons.map((words) => Object.assign(button("offer", "offer", words), { title: words }))
  const note = attr(el("span", "note"), { role: "status" })
  const saving = button("act strong", "save", "Save", el("kbd", "", "Enter"))
  const lead = el("span", "lead", "Decide ", el("b", "", name), " ", verdictPill(verdict, WORDS[verdict]), s.data.person.name ? ` as ${s.data.person.name}, because` : " because")
  const again = !id && (s.every ? s.data.decided : s.data.rows.filter((row) => s.picked.has(row.id) && row.decision).length)
  const anew = `${plural(again, "is", "are")} already decided and ${again === 1 ? "gets" : "get"} a new decision.`
  const stand = !again ? null : s.every ? keepNode(s, again) : el("span", "muted", anew)
  const offers = el("span", "offers", el("kbd", "", "↑"), el("kbd", "", "↓"), ...offer)
  const node = el("form", "ask", lead, field, saving, button("act", "cancel", "Cancel", el("kbd", "", "Esc")), stand, note, offers)
  node.addEventListener("submit", (event) => { event.preventDefault(); save(s) })
  const byArrow = (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (!by || event.target !== field) return false
    field.value = reasons[(reasons.indexOf(field.value) + by + reasons.length) % reasons.length]
    return true
  }
  formKeys(node, { save: () => save(s), close: () => stopAsking(s), other: byArrow })
  s.form = { node, field, note, save: saving }
  return node
}

const keepNode = (s, again) => {
  const box = Object.assign(el("input"), { type: "checkbox", checked: s.asked.keep })
  box.addEventListener("change", () => { s.asked.keep = box.checked; s.asked.sure = false })
  return el("label", "keep", box, ` skip the ${again} that are already decided`)
}

export const pickedBar = (s) => {
  const count = chosen(s)
  if (!count) return null
  if (s.asked && !s.asked.id) return el("div", "bar", askNode(s))
  // All of a list can be decided on only where it is known how many that are.
  const others = !s.every && !s.data.more && s.data.total > s.data.rows.length
  const more = others ? button("more", "every", `Select all ${s.data.total.toLocaleString()}${s.data.lineages ? " attempts" : ""} that match`) : null
  const words = s.every ? `All ${count.toLocaleString()} that match are selected` : `${count} selected`
  const asking = s.data.can_ask ? button("act", "ask", "Ask reviewers") : null
  const clear = button("act", "unpick", "Clear", el("kbd", "", "Esc"))
  return el("div", "bar", el("b", "", words), decideButton("ready"), decideButton("not_ready"), asking, ...assigning(s), more, clear)
}

// Who looks after what is selected: this person, somebody by name, or nobody.
const assigning = (s) => {
  const field = Object.assign(el("input", "assign-to"), { type: "text", placeholder: "Assign to…", maxLength: 40 })
  field.setAttribute("aria-label", "Assign to: a name, then Enter")
  field.setAttribute("list", "assign-people")
  const people = Object.assign(el("datalist"), { id: "assign-people" })
  for (const [, name] of s.data.people) people.append(Object.assign(el("option"), { value: name }))
  const give = () => {
    const name = field.value.trim()
    const known = s.data.people.filter(([, each]) => each === name)
    if (name) assignChosen(s, { action: "assign", to: known.length === 1 ? known[0][0] : name })
  }
  formKeys(field, { save: give, close: () => field.blur() })
  return [button("act", "claim", "Claim", el("kbd", "", "m")), field, people, button("act", "release", "Release")]
}

export const assignChosen = (s, event) => {
  const all = s.every ? { total: s.data.total } : { ids: idsChosen(s) }
  send(s, { ...event, ...all }, () => s.redraw())
  Object.assign(s, { every: false, picked: new Set() })
  s.redraw()
  s.focusRow()
}

// Of one row, or of all that are selected; what is mine already is let go.
export const claim = (s, id = null) => {
  if (!id && chosen(s)) return assignChosen(s, { action: "claim" })
  const row = s.data.rows.find((one) => one.id === (id ?? s.at))
  if (!row) return
  send(s, row.assignee?.mine ? { action: "assign", ids: [row.id], to: null } : { action: "claim", ids: [row.id] }, () => s.redraw())
}

// Only what is on its way is drawn anew, so that nobody who types on is disturbed.
export const restate = (s) => {
  for (const row of rowsOf(s)) {
    const pending = s.pending.get(row.dataset.id)
    if (pending) row.querySelector("td.decision").replaceWith(decisionCell(s, {}, pending))
  }
  const said = s.root.querySelector(".said")
  if (!said || !isOpen(s, s.undoing)) return
  if (waits(s, s.undoing)) said.replaceChildren(waitsNode("taking it back"))
  else if (isLate(s, s.undoing)) said.replaceChildren(el("span", "late", LATE_WORDS))
  said.hidden = false
}

const SHOWN = 15_000
const TOLD = "areachair-inbox-told"
export const saidBar = (s) => {
  // It lies over the last rows, so it goes by itself; `u` works on. Whoever comes back is not told again.
  const number = String(s.data.said?.number ?? "")
  if (number !== s.told) {
    clearTimeout(s.telling)
    s.told = number
    s.over = sessionStorage.getItem(TOLD) === number
    sessionStorage.setItem(TOLD, number)
    s.telling = setTimeout(() => { s.over = true; s.root.querySelector(".said").hidden = true }, SHOWN)
  }
  const node = attr(el("div", "said", s.data.said?.words ?? ""), { role: "status" })
  if (s.data.said?.undo) node.append(button("act", "undo", "Undo", el("kbd", "", "u")))
  node.hidden = !s.data.said || s.over
  return node
}
