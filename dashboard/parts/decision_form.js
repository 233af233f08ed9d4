// What is chosen and typed lives here until the store has it: no answer that arrives meanwhile can take it away.
const CHOICES = [["ready", "Ready", "1"], ["not_ready", "Not ready", "2"]]
const DRAFTS = "areachair:drafts"
const SLOW = 10000

// A draft is kept for each submission, for who goes on with `n` and comes back, or reloads.
const drafts = () => {
  try {
    return JSON.parse(sessionStorage.getItem(DRAFTS) ?? "{}")
  } catch {
    return {}
  }
}

const setDraft = (id, draft) => {
  const { [id]: _, ...others } = drafts()
  try {
    sessionStorage.setItem(DRAFTS, JSON.stringify(draft ? { ...others, [id]: draft } : others))
  } catch {
    // Without it a draft lasts as long as the page.
  }
}

const note = (s, words = "", wrong = false) => {
  s.words = words
  s.wrong = wrong
  drawNote(s)
}

const keepDraft = (s) => {
  const draft = { verdict: s.verdict, reason: s.reason.value }
  setDraft(s.id, draft.verdict || draft.reason.trim() ? draft : null)
}

const openDraft = (s) => {
  const draft = drafts()[s.id]
  s.verdict = draft?.verdict ?? null
  s.reason.value = draft?.reason ?? ""
}

const wordNode = (s, said, place) => {
  const by = el("span", "text", el("b", "", said.author), ", ", when(said.at), said.reason ? ": " : "", said.reason)
  const node = el("div", `word${place ? " before" : ""}`, verdictBadge(said.verdict, said.words), titled(by, `${said.signed}: ${said.reason}`))
  if (said.mine && s.data.agreed) node.append(titled(el("span", "agreed muted", s.data.agreed.replace(/ reviewers?$/, "")), s.data.agreed))
  if (place) return node
  if (s.data.others) node.append(titled(el("span", "muted", `+${s.data.others}`), "More people decided; see History"))
  node.append(titled(button("back", "back", "Withdraw"), "Takes the decision back, as a record of its own"))
  return node
}

const drawNote = (s) => {
  const as = s.data.author ? button("as", "who", "as ", el("b", "", s.data.author)) : button("as", "who", "no name yet")
  as.addEventListener("click", () => tell("who"))
  s.note.classList.toggle("wrong", s.wrong)
  s.note.replaceChildren(...(s.words ? [s.words] : [as]))
}

const drawFoot = (s) => {
  const acts = s.asks ? [["withdraw", "Withdraw it", "⏎"], ["keep", "Keep it", "Esc"]]
    : s.data.onward ? [["save", "Save", "Ctrl ⏎"], ["next", "Save and next", "⏎"]] : [["save", "Save", "⏎"]]
  const nodes = acts.map(([action, words, key]) => button("act", action, words, el("kbd", "", key)))
  nodes.at(s.asks ? 0 : -1).classList.add("strong")
  for (const key of nodes.map((node) => node.lastChild)) key.setAttribute("aria-hidden", "true")
  s.foot.replaceChildren(s.note, ...nodes)
}

const drawChoice = (s) => {
  for (const node of s.choice.children) node.setAttribute("aria-pressed", String(node.dataset.action === s.verdict))
  drawLately(s)
}

const drawLately = (s) => {
  const reasons = (s.verdict && !s.asks && !s.reason.value && s.data.reasons[s.verdict]) || []
  s.lately.classList.toggle("some", reasons.length > 0)
  s.lately.replaceChildren(el("span", "muted", "Given lately ", el("kbd", "", "↑")), ...[...reasons].reverse().map((reason) => titled(button("", "lately", reason), reason)))
}

const choose = (s, verdict) => {
  if (s.data.mine === verdict && !s.reason.value.trim()) return ask(s)
  s.asks = false
  s.verdict = verdict
  note(s)
  drawFoot(s)
  drawChoice(s)
  keepDraft(s)
  s.reason.focus({ preventScroll: true })
}

// Pressing the verdict that is mine already takes it back, once that is confirmed here.
const ask = (s) => {
  s.asks = true
  const { mine, author, words } = s.data.said[0]
  note(s, mine ? `You said ${words}. Take it back, or type another reason.` : `${author} said ${words}. Take it back?`)
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
  note(s)
  drawChoice(s)
  drawFoot(s)
  return true
}

const away = (s) => s.root.getRootNode().activeElement?.blur()

const deliver = (s, event) => {
  send(s, event)
  s.sent = { ...event, seq: s.seq }
  s.root.classList.add("busy")
  // The next key is for the page already.
  away(s)
  clearTimeout(s.slow)
  if (s.held) note(s, "Waits for your name.")
  s.slow = setTimeout(() => s.sent && !s.held && note(s, "The server has not answered yet; what you typed stays here.", true), SLOW)
}

const save = (s, next) => {
  const reason = s.reason.value.trim()
  if (s.sent) return
  if (!s.verdict) return note(s, "Choose Ready or Not ready first.", true)
  if (!reason) {
    note(s, "A decision needs a reason.", true)
    return s.reason.focus({ preventScroll: true })
  }
  deliver(s, { kind: "decide", id: s.id, verdict: s.verdict, reason, next })
}

// Nobody signed it: it is here again, with what was typed meanwhile.
const takeBack = (s, typed) => {
  s.sent = null
  clearTimeout(s.slow)
  s.root.classList.remove("busy")
  s.reason.value += typed
  keepDraft(s)
  drawLately(s)
  note(s, "Not saved: it has no name yet.", true)
  s.reason.focus({ preventScroll: true })
}

const withdraw = (s) => {
  s.asks = false
  drawFoot(s)
  deliver(s, { kind: "withdraw", id: s.id })
}

// Python has acted: what was refused stays as it was typed.
const settle = (s) => {
  if (!s.sent || s.queue.length) return
  const { sent } = s
  const { seq, words } = s.data.refused ?? {}
  s.sent = null
  clearTimeout(s.slow)
  s.root.classList.remove("busy")
  if (seq === sent.seq && words) {
    note(s, `Not saved: ${words}`, true)
    return s.reason.focus({ preventScroll: true })
  }
  setDraft(sent.id, null)
  if (sent.id === s.id) openDraft(s)
  note(s)
}

// What was typed while the name was asked for was meant for what comes then.
const goOn = (s) => {
  if (s.sent || !s.meanwhile) return
  s.reason.value += s.meanwhile
  s.meanwhile = ""
  keepDraft(s)
}

const onKey = (s, event) => {
  const choice = CHOICES.find(([, , key]) => key === event.key)
  if (!choice || !plainKey(event) || s.sent) return
  event.preventDefault()
  tell("zone", { zone: "panel" })
  choose(s, choice[0])
}

const onInnerKey = (s, event) => {
  if (event.isComposing) return
  const inReason = event.target === s.reason
  const chips = [...s.lately.querySelectorAll("button")]
  const at = chips.indexOf(event.target)
  if (event.key === "Escape") {
    stopAsking(s)
    away(s)
  } else if (inReason && event.key === "Enter" && s.asks) withdraw(s)
  else if (inReason && event.key === "Enter" && !event.shiftKey) save(s, s.data.onward && !(event.ctrlKey || event.metaKey))
  else if (event.key === "ArrowUp" && chips.length && (at > 0 || (inReason && !s.reason.value))) (chips[at - 1] ?? chips.at(-1)).focus()
  else if (event.key === "ArrowDown" && at >= 0) (chips[at + 1] ?? s.reason).focus()
  else return
  event.preventDefault()
  event.stopPropagation()
}

const onClick = (s, event) => {
  const asked = event.target.closest("[data-action]")
  switch (asked?.dataset.action) {
    case "ready": case "not_ready": return choose(s, asked.dataset.action)
    case "save": return save(s, false)
    case "next": return save(s, true)
    case "back": return ask(s)
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
  if (s.words && !s.sent) note(s)
  s.reason.focus({ preventScroll: true })
}

const start = (s) => {
  s.said = el("div", "said")
  s.choice = el("div", "choice", ...CHOICES.map(([verdict, words, key]) => {
    const node = button("", verdict, words, el("kbd", "", key))
    node.lastChild.setAttribute("aria-hidden", "true")
    node.setAttribute("aria-keyshortcuts", key)
    return node
  }))
  s.choice.setAttribute("role", "group")
  s.choice.setAttribute("aria-label", "Your verdict")
  s.reason = el("textarea")
  s.reason.rows = 1
  s.reason.placeholder = "Reason"
  s.reason.setAttribute("aria-label", "Reason")
  s.note = el("div", "note")
  s.note.setAttribute("role", "status")
  s.foot = el("div", "foot")
  s.lately = el("div", "lately")
  s.root.setAttribute("role", "group")
  s.root.setAttribute("aria-label", "Your decision")
  s.root.replaceChildren(s.lately, s.said, el("div", "line", s.choice, s.reason), s.foot)
  s.reason.addEventListener("input", () => typed(s))
  s.dropped = (_, typed) => takeBack(s, typed)
  s.signed = (typed) => {
    s.meanwhile = typed
    note(s)
  }
  listen(s, s.root, "click", (event) => onClick(s, event))
  listen(s, s.root, "keydown", (event) => onInnerKey(s, event))
  listen(s, window, "keydown", (event) => onKey(s, event), true)
  // What the reviews come to may be taken over; a reason that was typed stays.
  listen(s, document, "areachair:take", ({ detail }) => {
    if (!s.reason.value.trim()) s.reason.value = detail.reason.slice(0, s.data.longest)
    choose(s, detail.verdict)
  })
}

export default function (component) {
  if (!component.data) return
  const s = instance(component, start)
  const other = s.id !== s.data.id
  s.reason.maxLength = s.data.longest
  settle(s)
  s.id = s.data.id
  if (other) {
    s.asks = false
    openDraft(s)
    note(s)
  }
  goOn(s)
  s.said.replaceChildren(...s.data.said.map((said, place) => wordNode(s, said, place)))
  if (!s.asks) drawFoot(s)
  drawNote(s)
  drawChoice(s)
  return forget(component)
}
