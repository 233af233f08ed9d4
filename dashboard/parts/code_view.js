// Code with cards under the flagged lines. Moving between cards is the browser's own work; a word on a finding goes to Python.
const CHUNK = 100
const LONG_SPAN = 12
const RANK = { blocker: 0, major: 1, minor: 2 }

const rowNode = (number, tokens) => {
  const line = button("number", "line", String(number))
  line.tabIndex = -1
  line.setAttribute("aria-label", `Line ${number}`)
  const code = el("span")
  for (let i = 0; i < tokens.length; i += 2) code.append(tokens[i] ? el("span", tokens[i], tokens[i + 1]) : tokens[i + 1])
  const row = el("div", "row", line, el("span", "dot"), code)
  row.dataset.line = number
  return row
}

const drawCode = (s) => {
  const all = document.createDocumentFragment()
  s.rows = []
  let chunk
  s.data.lines.forEach((tokens, i) => {
    if (i % CHUNK === 0) {
      chunk = el("div", "chunk")
      chunk.style.containIntrinsicSize = `auto ${Math.min(CHUNK, s.data.lines.length - i) * 19}px`
      all.append(chunk)
    }
    const row = rowNode(i + 1, tokens)
    s.rows.push(row)
    chunk.append(row)
  })
  s.code.replaceChildren(all)
  s.scroll.scrollTo(0, 0)
  s.drawn = s.data.code_key
  s.current = null
}

// The card goes under its last line, but under the first one of a long span, where the eye lands.
const rowOf = (s, { line, end }) => (line ? s.rows[(end - line > LONG_SPAN ? line : end) - 1] ?? s.rows[line - 1] : undefined)

const markRows = (s, card) => {
  const folded = isFolded(card)
  for (let n = card.line; n <= Math.min(card.end, s.rows.length); n++) {
    const row = s.rows[n - 1]
    if (folded) row.classList.toggle("folded-flag", n === card.line && !row.classList.contains("flagged"))
    else if (!row.dataset.severity || RANK[card.severity] < RANK[row.dataset.severity]) {
      row.classList.remove("folded-flag", row.dataset.severity)
      row.classList.add("flagged", card.severity)
      row.dataset.severity = card.severity
    }
  }
  const tick = titled(button(card.severity, "select"), `${card.line}: ${card.message}`)
  tick.dataset.key = card.key
  tick.style.top = `${(98 * (card.line - 1)) / Math.max(1, s.rows.length)}%`
  if (!folded) s.ruler.append(tick)
}

// A card that has not changed stays the node that it is, with the reason that is being typed into it.
const cardNodes = (s) => {
  const nodes = new Map()
  for (const card of s.data.cards) {
    const known = s.cards.get(card.key)
    const text = JSON.stringify(card)
    const same = known?.text === text && known.isConnected
    const node = same ? known : cardNode(card, s.data.reasons)
    node.text = text
    node.classList.remove("busy")
    if (!same && known?.querySelector(".fold") && !known.classList.contains("folded")) unfold(node, true)
    nodes.set(card.key, node)
  }
  return nodes
}

const drawCards = (s) => {
  const nodes = cardNodes(s)
  const placed = new Set()
  const head = s.data.notes.map((note) => el("div", "note", note))
  for (const [key, node] of s.cards) if (nodes.get(key) !== node) node.remove()
  s.cards = nodes
  s.ruler.replaceChildren()
  for (const row of s.rows) {
    if (row.dataset.severity) row.classList.remove("flagged", row.dataset.severity)
    row.classList.remove("folded-flag")
    delete row.dataset.severity
  }
  for (const card of s.data.cards) {
    const node = nodes.get(card.key)
    const row = rowOf(s, card)
    if (!row) head.push(node)
    else {
      let last = row
      while (placed.has(last.nextElementSibling)) last = last.nextElementSibling
      if (last.nextElementSibling !== node) last.after(node)
      placed.add(node)
      markRows(s, card)
    }
  }
  arrange(s.head, head)
  const folded = s.data.cards.filter(isFolded).length
  const tally = [plural(s.data.cards.length - folded, "finding"), folded && `${folded} refuted or dismissed`]
  s.tally.textContent = [...tally, s.rows.length && plural(s.rows.length, "line")].filter(Boolean).join(" · ")
  for (const [key, node] of nodes) node.classList.toggle("current", key === s.current)
}

// Not scrollIntoView, which would also move Streamlit's page. Twice: the first time lays out chunks that were skipped.
const bring = (s, node) => {
  const top = (one) => one.getBoundingClientRect().top
  for (let i = 0; i < 2; i++) s.scroll.scrollTop += top(node) - top(s.scroll) - s.scroll.clientHeight / 3
}

const select = (s, key) => {
  const node = s.cards.get(key)
  if (!node) return false
  s.cards.get(s.current)?.classList.remove("current")
  s.current = key
  node.classList.add("current")
  const card = s.data.cards.find((one) => one.key === key)
  bring(s, (card.line && s.rows[card.line - 1]) || node)
  tell("selected", { key })
  return true
}

const target = (s, line) => {
  const row = s.rows[line - 1]
  if (!row) return false
  s.code.querySelector(".row.target")?.classList.remove("target")
  row.classList.add("target")
  bring(s, row)
  return true
}

const openFile = (s, place) => place && send(s, { kind: "open", ...place })

const openCards = (s) => s.data.cards.filter((card) => !isFolded(card)).map((card) => card.key)

const goTo = (s, file, line) => (file === s.data.path && line ? target(s, line) : openFile(s, { file, line }))

// Folded cards are stepped over; past the last card the next file with findings follows.
const step = (s, by) => {
  const keys = openCards(s)
  const at = keys.indexOf(s.current)
  const next = at < 0 ? keys.at(by > 0 ? 0 : -1) : keys[at + by]
  if (next) select(s, next)
  else openFile(s, by > 0 ? s.data.next_finding : s.data.previous_finding)
}

const rule = (s, node, word, reason) => {
  node.classList.add("busy")
  send(s, { kind: "rule", key: node.dataset.key, word, reason })
}

const startDismissal = (node) => {
  unfold(node, true)
  node.classList.add("dismissing")
  node.querySelector("select").focus({ preventScroll: true })
}

const onClick = (s, event) => {
  const asked = event.target.closest("[data-action]")
  const node = event.target.closest(".card")
  if (!asked) return node && event.target.closest("header") ? select(s, node.dataset.key) : undefined
  switch (asked.dataset.action) {
    case "line": target(s, +asked.parentElement.dataset.line); return send(s, { kind: "line", line: +asked.parentElement.dataset.line })
    case "select": return select(s, asked.dataset.key)
    case "unfold": return unfold(node, node.classList.contains("folded"))
    case "goto": return goTo(s, asked.dataset.file, +asked.dataset.line || null)
    case "confirm": return rule(s, node, "confirm", "")
    case "withdraw": return rule(s, node, "withdrawn", "")
    case "dismiss": return startDismissal(node)
    case "cancel": node.classList.remove("dismissing"); return s.scroll.focus({ preventScroll: true })
    case "next": return step(s, 1)
    case "previous": return step(s, -1)
    case "next-file": return openFile(s, s.data.next_file)
    case "previous-file": return openFile(s, s.data.previous_file)
  }
}

const onKey = (s, event) => {
  if (event.key === "Escape") return s.root.querySelector(".dismissing [data-action=cancel]")?.click()
  if (!plainKey(event)) return
  const current = s.cards.get(s.current)
  const press = (action) => current?.querySelector(`[data-action=${action}]`)?.click()
  const actions = {
    j: () => step(s, 1),
    k: () => step(s, -1),
    "]": () => openFile(s, s.data.next_file),
    "[": () => openFile(s, s.data.previous_file),
    c: () => press("confirm"),
    d: () => press("dismiss"),
    n: () => s.data.next_submission && navigate(s.data.next_submission),
  }
  if (!actions[event.key]) return
  event.preventDefault()
  event.stopPropagation()
  actions[event.key]()
}

const start = (s) => {
  for (const part of ["bar", "path", "tally", "keys", "scroll", "head", "code", "ruler"]) s[part] = s.root.querySelector(`.${part}`)
  s.cards = new Map()
  s.keys.append(button("", "previous", el("kbd", "", "k")), " ", button("", "next", el("kbd", "", "j"), " finding"), "  ",
                button("", "previous-file", el("kbd", "", "[")), " ", button("", "next-file", el("kbd", "", "]"), " file"))
  listen(s, s.root, "click", (event) => onClick(s, event))
  listen(s, s.root, "submit", (event) => {
    event.preventDefault()
    const { reason, more } = event.target.elements
    rule(s, event.target.closest(".card"), "dismiss", [reason.value, more.value.trim()].filter(Boolean).join(": "))
    s.scroll.focus({ preventScroll: true })
  })
  // While it goes down, before Streamlit's own shortcuts (c, r) hear of it.
  listen(s, window, "keydown", (event) => onKey(s, event), true)
  // A list that is drawn after the card was chosen asks which one it is.
  listen(s, document, "areachair:which", () => s.current && tell("selected", { key: s.current }))
  listen(s, document, "areachair:show", (event) => {
    const { file, key, line } = event.detail
    if (file === s.data.path && (key ? select(s, key) : target(s, line))) {
      if (key) unfold(s.cards.get(key), true)
      event.preventDefault()
    }
  })
}

const focusOn = (s, { seq, key, line, card }) => {
  s.focused = seq
  requestAnimationFrame(() => {
    if (key && select(s, key)) return unfold(s.cards.get(key), true)
    if (line && target(s, line)) return
    const chosen = openCards(s).at(card === "last" ? -1 : 0)
    if (chosen) select(s, chosen)
  })
}

export default function (component) {
  if (!component.data) return
  const s = instance(component, start)
  titled(s.path, s.data.title).textContent = s.data.title
  if (s.drawn !== s.data.code_key) drawCode(s)
  drawCards(s)
  if (s.data.focus.seq !== s.focused) focusOn(s, s.data.focus)
  return forget(component)
}
