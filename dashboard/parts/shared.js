// Stands before every component's script. Text reaches the page only through `append` and `textContent`, so nothing of a
// submission can become markup.
const el = (tag, cls, ...children) => {
  const node = document.createElement(tag)
  if (cls) node.className = cls
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""))
  return node
}

const button = (cls, action, ...children) => {
  const node = el("button", cls, ...children)
  node.type = "button"
  node.dataset.action = action
  return node
}

const titled = (node, title) => {
  node.title = title
  return node
}

const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

const CHECK_MARK = { confirmed: "✓", refuted: "✗", unverified: "?" }

const checkBadge = (check) => el("span", `check ${check}`, CHECK_MARK[check], " ", check)

// Confirmed, refuted and unverified side by side, each with its mark, so that colour is never the only sign.
const checkCounts = (counts) => {
  const box = el("span", "counts")
  for (const [check, count] of Object.entries(counts)) {
    box.append(titled(el("span", `count ${check}${count ? "" : " none"}`, CHECK_MARK[check], String(count)), `${count} ${check}`))
  }
  return box
}

const verdictBadge = (verdict, words) => el("span", `verdict ${verdict ?? "failed"}`, words)

// Said by screen readers only, where a sign is enough for the eye.
const spoken = (words) => el("span", "spoken", words)

// A reviewer is known by its colour and, where colours cannot be told apart, by its sign.
const reviewerSign = ({ rev, sign, reviewer }) => titled(el("span", `sign rev-${rev}`, sign || "·"), reviewer)

const choice = (name, label, options, chosen) => {
  const node = el("select", "", ...options.map(([value, title]) => Object.assign(el("option", "", title), { value })))
  Object.assign(node, { name, value: chosen ?? options[0][0] })
  node.setAttribute("aria-label", label)
  return node
}

// Asked for by the browser only over HTTPS or on this machine; elsewhere the old way still works.
const copy = (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.body.appendChild(el("textarea", "", text))
  field.select()
  document.execCommand("copy")
  field.remove()
  return Promise.resolve()
}

// A unit, its seconds, and of how many on it is the one to say: 13 days, then 2 weeks.
const AGES = [["y", 31557600, 2], ["mo", 2629800, 2], ["w", 604800, 2], ["d", 86400, 1], ["h", 3600, 1], ["min", 60, 1]]

const age = (iso) => {
  const seconds = Math.max(0, (Date.now() - new Date(iso)) / 1000)
  for (const [unit, size, fewest] of AGES) {
    if (seconds >= fewest * size) return `${Math.floor(seconds / size)} ${unit} ago`
  }
  return "just now"
}

const when = (iso) => titled(el("time", "", age(iso)), new Date(iso).toLocaleString())

// When a submission was generated, or imported where that is not known; a day has no hours.
const dated = ({ at, day, known, guess, about }) => {
  const ago = (day && Date.now() - new Date(at) < 86400000 ? "today" : age(at)).replaceAll(" ", "\u00a0")
  return titled(el("time", "", known ? (guess ? `≈\u00a0${ago}` : ago) : `imported ${ago}`), about)
}

// Streamlit goes where the address says whenever the browser's history moves, so a link of ours costs no reload and one entry.
const navigate = (href) => {
  window.history.pushState({}, "", href)
  window.dispatchEvent(new PopStateEvent("popstate"))
}

const link = (cls, href, ...children) => {
  const node = el("a", cls, ...children)
  node.href = href
  node.addEventListener("click", (event) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(href)
  })
  return node
}

// A box that is ticked is no place for letters.
const typing = (event) => {
  const target = event.composedPath()[0]
  return target.isContentEditable || (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName ?? "") && !/^(checkbox|radio|button)$/.test(target.type))
}

// While the sheet of keys or a dialog is open, a key is for it alone.
const isSigning = () => "signing" in document.documentElement.dataset
const sheetOpen = () => "sheet" in document.documentElement.dataset || isSigning() || document.querySelector("[data-testid=stDialog]") !== null

const withControl = (event) => event.ctrlKey || event.metaKey || event.altKey

const plainKey = (event) => !(withControl(event) || event.defaultPrevented || sheetOpen() || typing(event))

// Between two submissions, which is from a decision that leads on until the next one is on screen, no key of the page acts:
// they are kept for the decision form, whose next one they belong to. The value is the mount of the form that waits.
const between = () => document.documentElement.dataset.between

const setBetween = (mount) => {
  if (mount) document.documentElement.dataset.between = mount
  else delete document.documentElement.dataset.between
}

const isText = (event) => event.key.length === 1 || event.key === "Backspace"

const swallow = (event) => {
  event.preventDefault()
  event.stopImmediatePropagation()
}

const holdKey = (event) => {
  swallow(event)
  window.areachairHeld.push(event.key)
  tell("held")
}

// What the keys that are held make of a text; they are held no longer.
const heldText = (words) => window.areachairHeld.splice(0).reduce((text, key) => (key === "Backspace" ? text.slice(0, -1) : key.length === 1 ? text + key : text), words)

// This file stands before every script, and its first copy listens before anything else of the page does.
if (!window.areachairHeld) {
  window.areachairHeld = []
  window.addEventListener("keydown", (event) => {
    if (between() && (isText(event) || /^(Enter|Escape)$/.test(event.key)) && plainKey(event)) holdKey(event)
  }, true)
}

const isUnfolded = (field) => field.tagName === "SELECT" && CSS.supports("selector(:open)") && field.matches(":open")

// The grammar of every form: Enter saves, Shift+Enter begins a line where there may be several, Ctrl+Enter saves and stays,
// Esc closes. Enter on a button is that button's. `other` takes the keys that only this form has, and says whether it did.
const formKeys = (form, { save, close, other }) => form.addEventListener("keydown", (event) => {
  const field = event.target
  if (event.isComposing || isUnfolded(field)) return
  if (event.key === "Escape") close()
  else if (event.key === "Enter" && typing(event) && !(event.shiftKey && field.tagName === "TEXTAREA")) save({ stay: event.ctrlKey || event.metaKey })
  else if (!other?.(event)) return
  event.preventDefault()
  event.stopPropagation()
})

// Puts nodes into a parent in this order, touching only what differs: what stays keeps its focus, its scroll and what is typed.
const arrange = (parent, nodes) => {
  const wanted = new Set(nodes)
  for (const child of [...parent.childNodes]) if (!wanted.has(child)) child.remove()
  nodes.forEach((node, place) => {
    if (parent.childNodes[place] !== node) parent.insertBefore(node, parent.childNodes[place] ?? null)
  })
}

// Scrolls the panel that holds a node, and nothing else of the page, as far as is needed to see it.
const inPanel = (node, covered = 0) => {
  const panel = node.getRootNode().host?.closest(".st-key-panel-body")
  if (!panel) return
  const [mine, box] = [node.getBoundingClientRect(), panel.getBoundingClientRect()]
  if (mine.top < box.top + covered || mine.bottom > box.bottom) panel.scrollTop += mine.top - box.top - covered - (panel.clientHeight - covered) / 3
}

// What one mounted component keeps between calls; `make` runs once for it. `root` is redrawn by the caller.
const instances = new WeakMap()
const instance = (component, make) => {
  const { parentElement: parent } = component
  if (!instances.has(parent)) {
    instances.set(parent, { root: parent.querySelector(".root"), mount: Math.random().toString(36).slice(2), seq: 0, queue: [], records: new Map() })
    make?.(instances.get(parent))
  }
  const state = instances.get(parent)
  state.data = component.data
  state.api = component
  settle(state, component.data?.done)
  return state
}

// Events go as state with a number each: a trigger that follows another too soon would replace it. What the server has not
// acknowledged in time is late; `restate` of the state draws what became of a record, and the next answer draws it away.
const LATE = 2000
const LATE_WORDS = "The server has not answered yet; this is not saved."
const ship = (state, event) => {
  const seq = (event.seq = ++state.seq)
  state.queue.push(event)
  setTimeout(() => {
    if (!state.queue.some((one) => one.seq === seq) || !state.root.isConnected) return
    state.overdue = seq
    state.restate?.()
  }, LATE)
  state.api.setStateValue("events", { mount: state.mount, queue: state.queue })
}

const isLate = (state, event) => event.seq <= state.overdue && state.queue.includes(event)

// What a person writes down is signed. A record is kept with its way back until the server has it. Where this browser has no
// name yet it waits: sign.js asks, beside `near`, and then it goes, or it is put back to where it was made.
const RECORDS = new Set(["decide", "decide_all", "undo", "withdraw", "rule", "remark", "find", "relate", "reread"])
const send = (state, event, back) => {
  const isRecord = RECORDS.has(event.kind ?? event.action)
  if (isRecord) state.records.set(event, back)
  if (!(isRecord && "unsigned" in document.documentElement.dataset && askName(state))) ship(state, event)
  return event
}

const isOpen = (state, event) => state.records.has(event)

const waits = (state, event) => isOpen(state, event) && !state.queue.includes(event)

const UNSIGNED = "Not saved: not signed yet"

// The same words wherever a record waits.
const waitsNode = (words) => el("span", "waits", "Waiting for your name", words && `: ${words}`)

const askName = (state, problem = "") => {
  if (state.asking) return true
  const at = () => (state.near?.([...state.records.keys()].find((event) => waits(state, event))) ?? state.root).getBoundingClientRect()
  state.asking = true
  if (tell("sign", { at, problem, release: (name) => release(state, name) })) return true
  state.asking = false
  return false
}

const release = (state, name) => {
  state.asking = false
  const waiting = [...state.records].filter(([event]) => waits(state, event))
  if (name && waiting.length) waiting[0][0].signed = name
  for (const [event] of waiting) name ? ship(state, event) : state.records.delete(event)
  if (!name) for (const [event, back] of waiting) back?.(event)
  state.restate?.()
}

// The server has acted on what it acknowledges. Where it has no name that can be kept it wrote nothing: the records wait for one.
const settle = (state, done) => {
  if (done?.mount !== state.mount) return
  const answered = state.queue.filter((event) => event.seq <= done.seq)
  state.queue = state.queue.filter((event) => event.seq > done.seq)
  const refused = done.nameless ? answered.filter((event) => isOpen(state, event)) : []
  if (!refused.length) return answered.forEach((event) => state.records.delete(event))
  tell("nameless")
  const { signed } = refused[0]
  if (!askName(state, signed && `The server refused ${signed}; give another name.`)) release(state, "")
}

// Components of one page speak through events of the document; whoever handles a request cancels it.
const tell = (name, detail) => !document.dispatchEvent(new CustomEvent(`areachair:${name}`, { detail, cancelable: true }))

const listen = (state, target, name, handler, capture = false) => {
  target.addEventListener(name, handler, capture)
  state.unlisten = [...(state.unlisten ?? []), () => target.removeEventListener(name, handler, capture)]
}

const forget = (component) => () => {
  const state = instances.get(component.parentElement)
  for (const stop of state?.unlisten ?? []) stop()
  instances.delete(component.parentElement)
}
