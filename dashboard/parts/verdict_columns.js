// One line of reviewers by verdict, which opens to what each of them says. Seconds tick here, without asking Python; a
// reviewer is drawn anew only where something about it has changed.
import { arrange, attr, button, el, focusedIn, mounted, send, spoken, tell, titled, when } from "./shared.js"
import { prose } from "./prose.js"
import { checkCounts, reviewerMark, signNode, summaryNode, verdictPill, verdictWords } from "./signs.js"

const WORDS = { waiting: "Waiting", asking: "Asking", checking: "Checking its claims", keeping: "Saving" }
const ACTIONS = { again: "Ask again", evidence: "Show it the evidence" }
const TITLES = { again: "Asks again, even if an answer is stored", evidence: "Asks it to reconsider what the code refutes and the blockers it missed" }
/** @type {[string, (data: any) => boolean][]} */
const GROUPS = [["Asking", ({ live }) => Boolean(live)], ["Not ready", ({ verdict }) => verdict === "not_ready"], ["Ready", ({ verdict }) => verdict === "ready"], ["No verdict", () => true]]

const act = (s, kind, name, label) => {
  const node = titled(button("act", kind, label), TITLES[kind] ?? "")
  node.addEventListener("click", () => {
    node.disabled = true
    send(s, { kind, name })
  })
  return node
}

const liveBar = (s, data) => {
  const { state, started, again } = data.live
  const seconds = el("span", "seconds")
  seconds.dataset.started = started
  const words = el("span", "state", state === "asking" && again ? "Asking again" : WORDS[state])
  const bar = el("div", "live", el("span", "pulse"), words, seconds, act(s, "cancel", data.name, "Cancel"))
  words.setAttribute("role", "status")
  return bar
}

const promptLink = (s, data) => {
  const node = titled(button("show", "prompt", data.prompt), "Show the prompt")
  node.addEventListener("click", () => send(s, { kind: "prompt", name: data.name }))
  return node
}

const fold = (cls, title, text) => el("details", cls, summaryNode("", title), el("pre", "mono wrap", text))

const failurePart = (data) => {
  const nodes = data.failure ? [el("div", "failure wrap", data.failure)] : []
  return data.raw ? [...nodes, fold("raw", "Original answer", `${data.raw}${data.raw_cut ? "\n…" : ""}`)] : nodes
}

// What changed stands first: the column is narrow, and its end may have to be scrolled to.
const secondLook = ({ before }) => {
  const was = el("div", "was", verdictWords(before.verdict, `was: ${before.words}`))
  return [was, el("div", "changes wrap", before.changes), fold("raw", "The earlier review", before.text)]
}

// How many proven blockers it does not name; opens to which they are.
const missedPart = (s, missed) => {
  const node = el("details", "missed", titled(summaryNode("", `${missed.length} missed`), "Confirmed blockers that this reviewer did not report"))
  const list = missed.map(({ key, file, gist }) => {
    const one = titled(button("gist", "show", gist), gist)
    one.addEventListener("click", () => { if (!tell("show", { file, key })) send(s, { kind: "open", file, key }) })
    return el("li", "", one)
  })
  node.append(el("ul", "", ...list))
  return node
}

const verdictPart = (s, data) => {
  const took = titled(el("div", "took muted", [data.took, data.tokens].filter(Boolean).map((words) => `${words} · `).join(""), when(data.at)), "Cost and time of this review, where known, and when it was stored")
  const missed = data.missed.length ? [missedPart(s, data.missed)] : []
  if (data.before) return [...missed, ...secondLook(data), ...failurePart(data), took]
  const beginning = !data.failure && data.beginning ? [el("div", "beginning wrap", ...prose(data.beginning))] : []
  return [...failurePart(data), ...beginning, ...missed, took]
}

const column = (s, data) => {
  const badge = data.words && verdictPill(data.verdict, data.words)
  const model = titled(el("span", "model muted", data.model), data.model)
  const counts = data.counts ? checkCounts(data.counts) : null
  const node = el("section", `column${data.live ? " is-live" : ""}`, el("div", "top", reviewerMark(data), titled(el("b", "reviewer", data.reviewer), data.reviewer), model, el("span", "fill"), counts, badge))
  node.tabIndex = -1
  node.setAttribute("aria-label", data.reviewer)
  if (data.live) node.append(liveBar(s, data))
  if (data.ended) node.append(el("div", "failure wrap", data.ended))
  if (data.counts) node.append(...verdictPart(s, data))
  const acts = data.can.map((kind) => act(s, kind, data.name, ACTIONS[kind]))
  if (data.prompt) acts.push(promptLink(s, data))
  if (acts.length) node.append(el("div", "actions", ...acts))
  return node
}

const unfold = (s, open) => {
  s.root.classList.toggle("open", open)
  s.line.lastElementChild?.setAttribute("aria-expanded", String(open))
}

const chip = (s, data) => {
  const missed = data.missed?.length ? `, missed ${data.missed.length}` : ""
  const words = [data.reviewer, data.words || data.ended].filter(Boolean).join(": ") + missed
  const node = attr(titled(button("chip", "reviewer", reviewerMark(data), data.live ? el("span", "pulse") : null), words), { "aria-label": `${data.mark} ${words}` })
  node.addEventListener("click", () => {
    unfold(s, true)
    const { node: section } = s.drawn.get(data.reviewer)
    section.scrollIntoView({ block: "nearest" })
    section.focus({ preventScroll: true })
  })
  return node
}

const drawLine = (s) => {
  const left = new Set(s.data.columns)
  const groups = GROUPS.flatMap(([title, fits]) => {
    const inside = [...left].filter(fits)
    for (const one of inside) left.delete(one)
    return inside.length ? [el("span", `group ${title === "Not ready" ? "not" : title === "Ready" ? "yes" : ""}`, el("span", "title", title), ...inside.map((one) => chip(s, one)))] : []
  })
  const fold = attr(button("fold", "fold", signNode("fold", ""), spoken("What each reviewer says")), { "aria-expanded": String(s.root.classList.contains("open")) })
  fold.addEventListener("click", () => unfold(s, !s.root.classList.contains("open")))
  s.line.replaceChildren(...(groups.length ? groups : [el("span", "muted", "No one has reviewed this submission yet.")]), el("span", "fill"), ...(groups.length ? [titled(fold, "What each reviewer says")] : []))
}

const tick = (s) => {
  for (const node of s.root.querySelectorAll(".seconds")) {
    const seconds = Math.max(0, (Date.now() - Date.parse(node.dataset.started)) / 1000)
    node.textContent = seconds < 60 ? `${Math.floor(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
  }
}

const draw = (s) => {
  const before = s.drawn
  s.drawn = new Map()
  for (const data of s.data.columns) {
    const text = JSON.stringify(data)
    const known = before?.get(data.reviewer)
    s.drawn.set(data.reviewer, known?.text === text ? known : { text, node: column(s, data), old: known?.node })
  }
  // A wish that was not granted can be made again.
  for (const { node } of s.drawn.values()) for (const waiting of node.querySelectorAll("button:disabled")) waiting.disabled = false
  const focused = focusedIn(s)
  arrange(s.box, [...s.drawn.values()].map((one) => one.node))
  for (const { node, old } of s.drawn.values()) if (focused && old?.contains(focused)) node.focus({ preventScroll: true })
  for (const one of s.drawn.values()) delete one.old
  drawLine(s)
  // A person who asks wants to see what comes of it, also where it came before the page heard of the question.
  if (s.data.columns.some(({ live, ended, reviewer }) => live || ended || before?.has(reviewer) === false) && !s.asked) unfold(s, (s.asked = true))
}

export default mounted((s) => {
  draw(s)
  tick(s)
}, (made) => {
  made.line = el("div", "line")
  made.box = el("div", "columns")
  made.root.replaceChildren(made.line, made.box)
  const timer = setInterval(() => tick(made), 250)
  made.unlisten.push(() => clearInterval(timer))
})
