// Seconds tick here, without asking Python; a column is drawn anew only where something about it has changed.
import { arrange, button, checkCounts, el, focusedIn, mounted, reviewerSign, send, tell, titled, verdictBadge, when } from "./shared.js"

const NARROWEST = 148
const WORDS = { waiting: "Waiting", asking: "Asking", checking: "Checking its claims", keeping: "Saving" }
const ACTIONS = { again: "Ask again", evidence: "Show it the evidence" }
const TITLES = { again: "Asks again, even if an answer is stored", evidence: "Asks it to reconsider what the code refutes and the blockers it missed" }

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

const fold = (cls, title, text) => el("details", cls, el("summary", "", title), el("pre", "mono wrap", text))

const failurePart = (data) => {
  const nodes = data.failure ? [el("div", "failure wrap", data.failure)] : []
  return data.raw ? [...nodes, fold("raw", "Original answer", `${data.raw}${data.raw_cut ? "\n…" : ""}`)] : nodes
}

// What changed stands first: the column is narrow, and its end may have to be scrolled to.
const secondLook = ({ before }) => {
  const was = el("div", "was", verdictBadge(before.verdict, `was: ${before.words}`))
  return [was, el("div", "changes wrap", before.changes), fold("raw", "The earlier review", before.text)]
}

// How many proven blockers it does not name; opens to which they are.
const missedPart = (s, missed) => {
  const node = el("details", "missed", titled(el("summary", "", `${missed.length} missed`), "Confirmed blockers that this reviewer did not report"))
  const list = missed.map(({ key, file, gist }) => {
    const one = titled(button("gist", "show", gist), gist)
    one.addEventListener("click", () => { if (!tell("show", { file, key })) send(s, { kind: "open", file, key }) })
    return el("li", "", one)
  })
  node.append(el("ul", "", ...list))
  return node
}

const verdictPart = (s, data) => {
  const figures = el("div", "figures", checkCounts(data.counts))
  if (data.missed.length) figures.append(missedPart(s, data.missed))
  const took = titled(el("div", "took muted", [data.took, data.tokens].filter(Boolean).map((words) => `${words} · `).join(""), when(data.at)), "Cost and time of this review, where known, and when it was stored")
  if (data.before) return [figures, ...secondLook(data), ...failurePart(data), took]
  const beginning = !data.failure && data.beginning ? [titled(el("div", "beginning", data.beginning), data.beginning)] : []
  return [figures, ...failurePart(data), ...beginning, took]
}

const column = (s, data) => {
  const badge = data.words && verdictBadge(data.verdict, data.words)
  const name = titled(button("reviewer", "more", data.reviewer), data.reviewer)
  const node = el("section", `column rev-${data.rev}${data.live ? " is-live" : ""}${s.open.has(data.reviewer) ? " open" : ""}`, el("div", "top", reviewerSign(data), name, el("span", "fill"), badge))
  node.tabIndex = -1
  node.setAttribute("aria-label", data.reviewer)
  name.addEventListener("click", () => {
    const open = node.classList.toggle("open")
    s.open[open ? "add" : "delete"](data.reviewer)
    name.setAttribute("aria-expanded", String(open))
  })
  node.append(titled(el("div", "model muted", data.model), data.model))
  if (data.live) node.append(liveBar(s, data))
  if (data.ended) node.append(el("div", "failure wrap", data.ended))
  if (data.counts) node.append(...verdictPart(s, data))
  const acts = data.can.map((kind) => act(s, kind, data.name, ACTIONS[kind]))
  if (data.prompt) acts.push(promptLink(s, data))
  if (acts.length) node.append(el("div", "actions", ...acts))
  return node
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
  const nodes = [...s.drawn.values()].map((one) => one.node)
  arrange(s.root, nodes)
  for (const { node, old } of s.drawn.values()) if (focused && old?.contains(focused)) node.focus({ preventScroll: true })
  for (const one of s.drawn.values()) delete one.old
  if (!nodes.length) s.root.replaceChildren(el("p", "muted", "No one has reviewed this submission yet."))
}

// Columns that would be too narrow to be read lie one above the other, a line each, and open at a click.
const fit = (s) => {
  const columns = s.data.columns.length
  s.root.classList.toggle("many", columns > 3)
  s.root.classList.toggle("stacked", columns > 2 && s.root.clientWidth / columns < NARROWEST)
}

export default mounted((s) => {
  s.root.classList.toggle("models", s.data.columns.some((one) => one.live || one.ended || one.prompt))
  fit(s)
  draw(s)
  tick(s)
}, (made) => {
  const timer = setInterval(() => tick(made), 250)
  const size = new ResizeObserver(() => fit(made))
  made.unlisten.push(() => clearInterval(timer), () => size.disconnect())
  made.open = new Set()
  size.observe(made.root)
})
