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
const sheetOpen = () => "sheet" in document.documentElement.dataset || "signing" in document.documentElement.dataset || document.querySelector("[data-testid=stDialog]") !== null

const withControl = (event) => event.ctrlKey || event.metaKey || event.altKey

const plainKey = (event) => !(withControl(event) || event.defaultPrevented || sheetOpen() || typing(event))

// Between two submissions, which is from a decision that leads on until the next one is on screen, no key of the page acts:
// they are kept for the decision form, whose next one they belong to. The value is the mount of the form that waits.
const between = () => document.documentElement.dataset.between

const setBetween = (mount) => {
  if (mount) document.documentElement.dataset.between = mount
  else delete document.documentElement.dataset.between
}

const isHeld = (event) => event.key.length === 1 || /^(Enter|Escape|Backspace)$/.test(event.key)

// This file stands before every script, and its first copy listens before anything else of the page does.
if (!window.areachairHeld) {
  window.areachairHeld = []
  window.addEventListener("keydown", (event) => {
    if (!between() || !isHeld(event) || !plainKey(event)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    window.areachairHeld.push(event.key)
    document.dispatchEvent(new CustomEvent("areachair:held"))
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
    instances.set(parent, { root: parent.querySelector(".root"), mount: Math.random().toString(36).slice(2), seq: 0, queue: [] })
    make?.(instances.get(parent))
  }
  const state = instances.get(parent)
  state.data = component.data
  state.api = component
  const done = component.data?.done
  if (done?.mount === state.mount) state.queue = state.queue.filter((event) => event.seq > done.seq)
  return state
}

// Events go as state with a number each: a trigger that follows another too soon would replace it. What the server has not
// acknowledged in time is late; `late` of the state draws that, and the next answer draws it away.
const LATE = 2000
const LATE_WORDS = "The server has not answered yet; this is not saved."
const send = (state, event) => {
  state.queue.push({ seq: ++state.seq, ...event })
  if (!state.held && !(isRecord(event) && hold(state, event))) ship(state)
}

const ship = (state) => {
  const { seq } = state
  setTimeout(() => {
    if (!state.queue.some((event) => event.seq === seq) || !state.root.isConnected) return
    state.overdue = seq
    state.late?.()
  }, LATE)
  state.api.setStateValue("events", { mount: state.mount, queue: state.queue })
}

// What a person writes down is signed. Before the first record of a browser nothing leaves its component until a name is
// given (sign.js asks, beside `near`), with which it goes; without one it comes back to the component's `dropped`.
const RECORDS = new Set(["decide", "decide_all", "undo", "withdraw", "rule", "remark", "find", "relate"])
const isRecord = (event) => "unsigned" in document.documentElement.dataset && RECORDS.has(event.kind ?? event.action)

const hold = (state, event) => {
  const { seq } = state
  const release = (name, typed) => {
    state.held = false
    const [first, ...others] = state.queue.filter((each) => each.seq >= seq)
    if (name) {
      first.signed = name
      ship(state)
      return state.signed?.(typed)
    }
    state.queue = state.queue.filter((each) => each.seq < seq)
    state.dropped?.([first, ...others], typed)
  }
  const near = state.near?.(event) ?? state.root.getRootNode().activeElement ?? state.root
  state.held = tell("sign", { at: near.getBoundingClientRect(), release })
  return state.held
}

const isLate = (state, seq) => seq <= state.overdue && state.queue.some((event) => event.seq === seq)

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
