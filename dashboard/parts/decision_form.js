// What is chosen and typed lives here until the store has it: no answer that arrives meanwhile can take it away.
import { drafts, setDraft } from "./drafts.js"
import { prose } from "./prose.js"
import { attr, between, button, el, focusedIn, formKeys, heldText, isLate, isRefused, isSigning, listen, mounted, notSaved, plainKey, send, setBetween, tell, titled, waits, waitsNode, when } from "./shared.js"
import { verdictPill } from "./signs.js"

const CHOICES = [["ready", "Ready", "1"], ["not_ready", "Not ready", "2"]]
// The draft of what is typed between two submissions, for the one that comes.
const NEXT = "next"

/** @type {(s: State, words?: string | HTMLElement, wrong?: boolean) => void} */
const note = (s, words = "", wrong = false) => {
  s.words = words
  s.wrong = wrong
  drawNote(s)
}

// A decision that leads on was sent, and what it leads to has not come.
const isWaiting = (s) => Boolean(s.sent?.next)

const keepDraft = (s) => {
  const draft = { verdict: s.verdict, reason: s.reason.value, spare: s.spare, unsaved: s.unsaved, ...(isWaiting(s) && { from: s.id, ahead: s.ahead }) }
  setDraft(isWaiting(s) ? NEXT : s.id, draft.verdict || draft.reason.trim() || s.spare || draft.ahead?.length ? draft : null)
}

const fill = (s, draft) => {
  s.verdict = draft?.verdict ?? null
  const reason = draft?.reason ?? ""
  // Setting the same again would move the cursor of who types.
  if (s.reason.value !== reason) s.reason.value = reason
  s.spare = draft?.spare ?? null
}

// What the store has by now is no draft: the page was loaded again before it heard of that.
const draftOf = (s) => {
  const draft = drafts()[s.id]
  const isSaved = draft && s.data.said.some(({ mine, verdict, reason }) => mine && verdict === draft.verdict && reason === draft.reason)
  return isSaved ? null : draft
}

const openDraft = (s) => fill(s, draftOf(s))

// What stood here gives way to what was typed since, and can be had back.
const restore = (s) => {
  const here = { verdict: s.verdict, reason: s.reason.value }
  fill(s, { ...s.spare, spare: here.reason.trim() ? here : null })
  note(s)
  drawChoice(s)
  keepDraft(s)
  s.reason.focus({ preventScroll: true })
}

const wordNode = (s, said, place) => {
  const by = el("span", "text", el("b", "", said.author), ", ", when(said.at), said.reason ? ": " : "", said.reason)
  const node = el("div", `word${place ? " before" : ""}`, verdictPill(said.verdict, said.words), titled(by, `${said.signed}: ${said.reason}`))
  if (said.mine && s.data.agreed) node.append(titled(el("span", "agreed muted", s.data.agreed.replace(/ reviewers?$/, "")), s.data.agreed))
  if (place) return node
  if (s.data.others) node.append(titled(el("span", "muted", `+${s.data.others}`), "More people decided; see History"))
  node.append(titled(button("back", "back", "Withdraw"), "Withdraws the decision; this is a new record"))
  return node
}

const drawNote = (s) => {
  const as = s.data.author ? button("as", "who", "as ", el("b", "", s.data.author)) : button("as", "who", "no name yet")
  as.addEventListener("click", () => tell("who"))
  s.note.classList.toggle("wrong", s.wrong)
  const again = s.spare && titled(button("back", "restore", "Restore"), s.spare.reason)
  s.note.replaceChildren(...[s.words || as, again && " ", again].filter(Boolean))
}

// What the reviews come to, over the decision that it is for.
const drawSentence = (s) => {
  const found = s.data.sentence
  if (!found) return s.sentence.replaceChildren()
  const { words, card, place, at, at_place } = found
  const [before, after] = at ? words.split(`\`${at_place}\``) : [words]
  const cause = card && place !== at_place ? [" ", placeLink(place || "the finding", "card")] : []
  s.sentence.replaceChildren(titled(el("div", "sentence", ...prose(before), ...(after === undefined ? [] : [placeLink(at_place, "at"), ...prose(after)]), ...cause), words))
}

const placeLink = (place, named) => {
  const node = titled(button("place mono", "named", place.split("/").at(-1)), `Show ${place}`)
  node.dataset.named = named
  return node
}

const goTo = (s, wish) => tell("show", wish) || send(s, { kind: "open", ...wish })

// What was typed as a reason stays.
const adopt = (s) => {
  if (isWaiting(s)) return
  const { verdict, reason } = s.data.sentence
  if (!s.reason.value.trim()) s.reason.value = reason.slice(0, s.data.longest)
  choose(s, verdict)
}

const drawFoot = (s) => {
  const acts = s.asks ? [["withdraw", "Withdraw decision", "Enter"], ["keep", "Keep it", "Esc"]]
    : s.data.onward ? [["save", "Save", "Ctrl Enter"], ["next", "Save and next", "Enter"]] : [["save", "Save", "Enter"]]
  const nodes = acts.map(([action, words, key]) => button("act", action, words, el("kbd", "", key)))
  nodes.at(s.asks ? 0 : -1)?.classList.add("strong")
  for (const node of nodes) node.lastElementChild?.setAttribute("aria-hidden", "true")
  const take = s.data.sentence?.verdict && !s.asks ? [titled(button("act", "adopt", "Adopt"), "Fills in the verdict of the sentence, and it as the reason if none is typed; nothing is saved yet")] : []
  s.foot.replaceChildren(s.note, ...take, ...nodes)
}

const drawChoice = (s) => {
  for (const node of s.choice.children) node.setAttribute("aria-pressed", String(node.dataset.action === s.verdict))
  drawLately(s)
}

const drawLately = (s) => {
  const reasons = (s.verdict && !s.asks && !s.reason.value && s.data.reasons[s.verdict]) || []
  s.lately.classList.toggle("some", reasons.length > 0)
  s.lately.replaceChildren(el("span", "muted", "Recent ", el("kbd", "", "↑")), ...[...reasons].reverse().map((reason) => titled(button("", "lately", reason), reason)))
}

const wordsOf = (verdict) => CHOICES.find(([one]) => one === verdict)?.[1] ?? ""

// What became of the word that is on its way.
const saying = (s) => {
  if (!s.sent) return note(s)
  const { record, verdict, reason } = s.sent
  const word = verdict ? `“${wordsOf(verdict)}: ${reason}”` : "the withdrawal"
  const since = isWaiting(s) ? " You can already type for the next one." : ""
  if (waits(s, record)) note(s, waitsNode(word))
  else if (record && isLate(s, record)) note(s, `The server has not answered yet; ${word} is not saved.${since}`, true)
  else note(s, `Saving ${word}…${since}`)
}

const choose = (s, verdict) => {
  if (s.data.mine === verdict && !s.sent && !s.reason.value.trim()) return ask(s)
  s.asks = false
  s.verdict = verdict
  s.awaits = true
  s.refused = ""
  saying(s)
  drawFoot(s)
  drawChoice(s)
  keepDraft(s)
  s.reason.focus({ preventScroll: true })
}

// Pressing the verdict that is mine already takes it back, once that is confirmed here.
const ask = (s) => {
  if (s.sent) return saying(s)
  s.asks = true
  const { mine, author, words } = s.data.said[0]
  note(s, mine ? `You decided ${words}. Withdraw it, or type another reason.` : `${author} decided ${words}. Withdraw it?`)
  s.verdict = s.data.mine
  drawChoice(s)
  drawFoot(s)
  // Into the reason, so that who means to say it again with another one can type at once.
  s.reason.focus({ preventScroll: true })
}

const stopAsking = (s) => {
  if (!s.asks) return false
  s.asks = false
  openDraft(s)
  saying(s)
  drawChoice(s)
  drawFoot(s)
  return true
}

const away = (s) => focusedIn(s)?.blur()

// What is typed from now on is for the submission that comes then, or for another word on this one.
const deliver = (s, event) => {
  s.sent = { ...event, record: event }
  if (event.next) setBetween(s.mount)
  send(s, event, () => takeBack(s, event))
}

const clear = (s) => {
  fill(s, null)
  s.awaits = false
  s.refused = s.unsaved = ""
  drawChoice(s)
  keepDraft(s)
  // The next key is for the page already.
  away(s)
}

const save = (s, next) => {
  const reason = s.reason.value.trim()
  // Pressed once more, with nothing new to save: what is on its way, or waits, is said again.
  if (!s.verdict && !reason && s.sent?.record) return saying(s)
  if (!s.verdict) return note(s, `${s.refused}Choose Ready or Not ready first.`, true)
  if (!reason) {
    note(s, "A decision needs a reason.", true)
    return s.reason.focus({ preventScroll: true })
  }
  s.ahead.push({ id: isWaiting(s) ? null : s.id, verdict: s.verdict, reason, next })
  clear(s)
  proceed(s)
}

// One decision is on its way at a time: where it leads to is known once it is there.
const proceed = (s) => {
  if (s.sent || !s.ahead.length) return
  const { id, verdict, reason, next } = s.ahead.shift()
  const word = { id: id ?? s.id, verdict, reason, next: next && s.data.onward && (id ?? s.id) === s.id }
  // Until the store has it.
  setDraft(word.id, { verdict, reason })
  deliver(s, { kind: "decide", ...word })
  saying(s)
}

const joined = (reasons) => reasons.filter((words) => words?.trim()).join("\n")

// Nobody signed it: all that was said and typed since is here again, too, and nothing of it is sent.
const takeBack = (s, { verdict = s.data.mine, reason }) => {
  const ahead = s.ahead.splice(0)
  const words = heldText(joined([reason, ...ahead.map((said) => said.reason)]))
  const verdicts = [...new Set([verdict, ...ahead.map((said) => said.verdict), s.verdict].filter(Boolean))]
  setBetween(null)
  setDraft(NEXT, null)
  s.sent = null
  s.strayed = false
  fill(s, { verdict: verdicts.length === 1 ? verdicts[0] : null, reason: joined([words, s.reason.value]), spare: s.spare })
  s.unsaved = reason && s.data.name
  keepDraft(s)
  drawChoice(s)
  if (!reason && !s.reason.value && s.data.said.length) ask(s)
  const both = verdicts.length > 1 ? ` You said ${verdicts.map(wordsOf).join(" and ")}: choose one.` : ""
  note(s, `${notSaved()}.${both}`, true)
  s.reason.focus({ preventScroll: true })
}

const withdraw = (s) => {
  s.asks = false
  clear(s)
  drawFoot(s)
  deliver(s, { kind: "withdraw", id: s.id })
  saying(s)
}

// Python has acted, or another submission is on screen. What was typed between the two belongs to the one that came; where
// another one came, or none, it stays without a verdict, so that nothing is recorded that nobody meant.
const arrive = (s) => {
  const { sent } = s
  const other = s.id !== s.data.id
  const answered = sent && !s.queue.length && !waits(s, sent.record)
  if (!other && !answered) return
  const held = isWaiting(s)
  const refused = (answered && sent.record && s.data.refused?.seq === sent.record.seq && s.data.refused.words) || ""
  const meant = answered && other && !refused && !s.strayed
  const ahead = held && !meant ? s.ahead.splice(0).map(({ reason }) => reason) : []
  const since = { verdict: s.verdict, reason: joined([...ahead, s.reason.value]) }
  if (held) {
    setDraft(NEXT, null)
    setBetween(null)
  }
  if (answered) s.sent = null
  else if (held) sent.next = false
  if (answered && !refused && sent.id) setDraft(sent.id, null)
  const left = other ? drafts()[s.id]?.unsaved : ""
  s.asks = s.strayed = false
  s.id = s.data.id
  s.refused = refused && `Not saved: ${refused}. `
  note(s, s.refused || (left && `Your decision on ${left} was not saved because it is not signed yet; its text is kept there.`), Boolean(refused || left))
  const here = refused && sent.id === s.id && sent.verdict ? sent : draftOf(s)
  const spare = here?.reason?.trim() ? { verdict: here.verdict, reason: here.reason } : here?.spare ?? s.left
  if (held && meant && since.verdict) fill(s, { ...since, spare })
  else if ((held || (refused && !other)) && since.reason) {
    fill(s, { reason: since.reason, spare })
    if (!refused) note(s, "This was typed for a submission that did not open; choose a verdict to use it here.", true)
  } else if (other || !(since.verdict || since.reason) || since.reason === sent?.reason) fill(s, s.left?.reason ? { ...here, spare: s.left } : here)
  s.unsaved = here?.unsaved
  if (s.unsaved && !s.words) note(s, `${notSaved()}.`, true)
  s.left = null
  s.awaits = s.awaits && Boolean(s.verdict)
  keepDraft(s)
  if (refused && s.reason.value) s.reason.focus({ preventScroll: true })
  proceed(s)
}

// A key that came before the reason had the focus: the verdict, or a letter while the page was drawn anew.
const onHeld = (s) => {
  if (isSigning()) return
  for (const key of window.areachairHeld.splice(0)) {
    const choice = CHOICES.find(([, , one]) => one === key)
    if (!s.awaits) {
      if (choice) choose(s, choice[0])
      continue
    }
    if (key === "Escape") leave(s)
    else if (key === "Enter") onEnter(s, { stay: false })
    else {
      s.reason.value = key === "Backspace" ? s.reason.value.slice(0, -1) : (s.reason.value + key).slice(0, s.data.longest)
      typed(s)
    }
  }
}

const leave = (s) => {
  s.awaits = false
  stopAsking(s)
  away(s)
}

const onKey = (s, event) => {
  if (isRefused(s, event, "12")) return
  const choice = CHOICES.find(([, , key]) => key === event.key)
  if (!choice || !plainKey(event)) return
  event.preventDefault()
  tell("zone", { zone: "panel" })
  choose(s, choice[0])
}

const onEnter = (s, { stay }) => {
  if (s.asks) return withdraw(s)
  // A person who was typing when it was refused has not read that yet.
  if (s.refused && s.verdict) {
    note(s, `${s.refused}Press Enter to try again.`, true)
    s.refused = ""
    return
  }
  save(s, s.data.onward && !stay)
}

// Up from an empty reason through the reasons given lately, and down again.
const onArrow = (s, event) => {
  const chips = [...s.lately.querySelectorAll("button")]
  const at = chips.indexOf(event.target)
  const inEmpty = event.target === s.reason && !s.reason.value
  if (event.key === "ArrowUp" && chips.length && (at > 0 || inEmpty)) (chips[at - 1] ?? chips.at(-1)).focus()
  else if (event.key === "ArrowDown" && at >= 0) (chips[at + 1] ?? s.reason).focus()
  else return false
  return true
}

const onClick = (s, event) => {
  const asked = event.target.closest("[data-action]")
  switch (asked?.dataset.action) {
    case "ready": case "not_ready": return choose(s, asked.dataset.action)
    case "save": return save(s, false)
    case "next": return save(s, true)
    case "back": return ask(s)
    case "adopt": return adopt(s)
    case "named": return goTo(s, s.data.sentence[asked.dataset.named])
    case "restore": return restore(s)
    case "withdraw": return withdraw(s)
    case "keep": return stopAsking(s) && away(s)
    case "lately":
      s.reason.value = asked.textContent
      return typed(s)
  }
}

const typed = (s) => {
  s.asks = false
  drawFoot(s)
  drawLately(s)
  keepDraft(s)
  if (s.words && !s.sent && !s.refused) note(s)
  s.reason.focus({ preventScroll: true })
}

// The form may be drawn afresh while it waits: the new one goes on with what the old one held. Where none comes, the page is
// another one, and its keys act.
const HEIR = 1000
const takeOver = (s) => {
  s.unlisten.push(() => setTimeout(() => between() === s.mount && setBetween(null), HEIR))
  const draft = drafts()[NEXT]
  if (!between()) {
    // The page was left, or loaded again: keys are for nobody any more, and a text can be had back.
    window.areachairHeld.splice(0)
    s.left = draft
    return setDraft(NEXT, null)
  }
  setBetween(s.mount)
  fill(s, draft)
  Object.assign(s, { ahead: draft?.ahead ?? [], awaits: Boolean(draft?.verdict), id: draft?.from, sent: { id: null, next: true } })
}

const start = (s) => {
  s.sentence = el("div", "found")
  s.said = el("div", "said")
  s.choice = el("div", "choice", ...CHOICES.map(([verdict, words, key]) => {
    const node = button("", verdict, words, el("kbd", "", key))
    node.lastElementChild?.setAttribute("aria-hidden", "true")
    node.setAttribute("aria-keyshortcuts", key)
    return node
  }))
  attr(s.choice, { role: "group", "aria-label": "Your verdict" })
  s.reason = el("textarea")
  s.reason.rows = 1
  s.reason.placeholder = "Reason"
  s.reason.setAttribute("aria-label", "Reason")
  s.note = attr(el("div", "note"), { role: "status" })
  s.foot = el("div", "foot")
  s.lately = el("div", "lately")
  s.why = el("div", "why muted")
  attr(s.root, { role: "group", "aria-label": "Your decision" })
  s.root.replaceChildren(s.lately, s.sentence, s.said, el("div", "line", s.choice, s.reason), s.foot, s.why)
  s.reason.addEventListener("input", () => typed(s))
  listen(s, s.root, "click", (event) => onClick(s, event))
  formKeys(s.root, { save: (how) => onEnter(s, how), close: () => leave(s), other: (event) => onArrow(s, event) })
  listen(s, window, "keydown", (event) => onKey(s, event), true)
  listen(s, document, "areachair:held", () => onHeld(s))
  // A person who goes elsewhere meanwhile means nothing of it for where they come to.
  listen(s, window, "popstate", () => { s.strayed = isWaiting(s) })
  // Its code is on screen before this form is, and from then on a key is for that.
  listen(s, document, "areachair:newer", () => {
    if (!s.id?.startsWith(new URLSearchParams(window.location.search).get("s"))) setBetween(null)
  })
  Object.assign(s, { ahead: [], refused: "" })
  s.restate = () => s.sent && saying(s)
  s.near = () => s.choice
  takeOver(s)
}

export default mounted((s) => {
  s.reason.maxLength = s.data.longest
  drawSentence(s)
  arrive(s)
  s.said.replaceChildren(...s.data.said.map((said, place) => wordNode(s, said, place)))
  if (!s.asks) drawFoot(s)
  drawNote(s)
  drawChoice(s)
  onHeld(s)
  s.why.textContent = s.data.why_not
}, start)
