// Seconds tick here, without asking Python; a column is drawn anew only where something about it has changed.
const WORDS = { waiting: "Waiting", asking: "Asking", checking: "Checking its claims", keeping: "Keeping it" }
const ACTIONS = { again: "Ask again", evidence: "Show it the evidence" }
const TITLES = { again: "Asks afresh, whatever is kept", evidence: "Asks it to look again at what the code refutes and at the blockers it missed" }

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
  const words = el("span", "state", state === "asking" && again ? "Asking once more" : WORDS[state])
  const bar = el("div", "live", el("span", "pulse"), words, seconds, act(s, "cancel", data.name, "Cancel"))
  words.setAttribute("role", "status")
  return bar
}

const promptLink = (s, data) => {
  const node = titled(button("show", "prompt", data.prompt), "Show what was asked")
  node.addEventListener("click", () => send(s, { kind: "prompt", name: data.name }))
  return node
}

const fold = (cls, title, text) => el("details", cls, el("summary", "", title), el("pre", "mono wrap", text))

const failurePart = (data) => {
  const nodes = data.failure ? [el("div", "failure wrap", data.failure)] : []
  return data.raw ? [...nodes, fold("raw", "Answer as it came", `${data.raw}${data.raw_cut ? "\n…" : ""}`)] : nodes
}

// What changed stands first: the column is narrow, and its end may have to be scrolled to.
const secondLook = ({ before }) => {
  const was = el("div", "was", verdictBadge(before.verdict, `was: ${before.words}`))
  return [was, el("div", "changes wrap", before.changes), fold("raw", "The earlier review", before.text)]
}

const verdictPart = (s, data) => {
  const figures = el("div", "figures", checkCounts(data.counts))
  const missed = titled(el("span", "missed", `${data.missed} missed`), "Confirmed blockers that no claim of this reviewer names")
  if (data.missed) figures.append(missed)
  const took = titled(el("div", "took muted", data.took, " · ", when(data.at)), "Time and cost of this review, where known, and when it was kept")
  const spent = [took]
  if (data.tokens) spent.push(titled(el("div", "took muted", data.tokens), "Tokens, as the server counted them"))
  if (data.before) return [figures, ...secondLook(data), ...failurePart(data), ...spent]
  const beginning = !data.failure && data.beginning ? [titled(el("div", "beginning", data.beginning), data.beginning)] : []
  return [figures, ...spent, ...failurePart(data), ...beginning]
}

const column = (s, data) => {
  const badge = data.words && verdictBadge(data.verdict, data.words)
  const node = el("section", `column${data.live ? " is-live" : ""}`, el("div", "top", titled(el("b", "reviewer", data.reviewer), data.reviewer), badge))
  node.tabIndex = -1
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
    const seconds = Math.max(0, (Date.now() - new Date(node.dataset.started)) / 1000)
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
  const focused = s.root.getRootNode().activeElement
  const nodes = [...s.drawn.values()].map((one) => one.node)
  arrange(s.root, nodes)
  for (const { node, old } of s.drawn.values()) if (focused && old?.contains(focused)) node.focus({ preventScroll: true })
  for (const one of s.drawn.values()) delete one.old
  if (!nodes.length) s.root.replaceChildren(el("p", "muted", "Nobody has reviewed this submission yet."))
}

export default function (component) {
  if (!component.data) return
  const s = instance(component, (made) => {
    const timer = setInterval(() => tick(made), 250)
    made.unlisten = [() => clearInterval(timer)]
  })
  s.root.classList.toggle("models", s.data.columns.some((one) => one.live || one.ended || one.prompt))
  s.root.classList.toggle("many", s.data.columns.length > 3)
  draw(s)
  tick(s)
  return forget(component)
}
