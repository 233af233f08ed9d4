// What the scripts have in common. Text reaches the page only through `append` and `textContent`, so nothing of a submission
// can become markup.
/** @type {<T extends keyof HTMLElementTagNameMap>(tag: T, cls?: string | null | false, ...children: Child[]) => HTMLElementTagNameMap[T]} */
export const el = (tag, cls, ...children) => {
  const node = document.createElement(tag)
  if (cls) node.className = cls
  for (const child of children) if (child !== null && child !== undefined && child !== "" && child !== false) node.append(typeof child === "number" ? String(child) : child)
  return node
}

/** @type {(cls: string, action: string, ...children: Child[]) => HTMLButtonElement} */
export const button = (cls, action, ...children) => {
  const node = el("button", cls, ...children)
  node.type = "button"
  node.dataset.action = action
  return node
}

/** @type {<N extends HTMLElement>(node: N, title: string) => N} */
export const titled = (node, title) => {
  node.title = title
  return node
}

/** @type {<N extends HTMLElement>(node: N, attributes: Record<string, string>) => N} */
export const attr = (node, attributes) => {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  return node
}

/** @type {(count: number, one: string, many?: string) => string} */
export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

// Said by screen readers only, where a sign is enough for the eye.
/** @type {(words: string) => HTMLElement} */
export const spoken = (words) => el("span", "spoken", words)

/** @type {(name: string, label: string, options: [string, string][], chosen?: string | null) => HTMLSelectElement} */
export const choice = (name, label, options, chosen) => {
  const node = el("select", "", ...options.map(([value, title]) => Object.assign(el("option", "", title), { value })))
  Object.assign(node, { name, value: chosen ?? options[0][0] })
  node.setAttribute("aria-label", label)
  return node
}

// Asked for by the browser only over HTTPS or on this machine; elsewhere the old way still works.
/** @type {(text: string) => Promise<void>} */
export const copy = (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.body.appendChild(el("textarea", "", text))
  field.select()
  document.execCommand("copy")
  field.remove()
  return Promise.resolve()
}

// A unit, its seconds, and of how many on it is the one to say: 13 days, then 2 weeks.
/** @type {[string, number, number][]} */
const AGES = [["y", 31557600, 2], ["mo", 2629800, 2], ["w", 604800, 2], ["d", 86400, 1], ["h", 3600, 1], ["min", 60, 1]]

/** @type {(iso: string) => string} */
const age = (iso) => {
  const seconds = Math.max(0, (Date.now() - Date.parse(iso)) / 1000)
  for (const [unit, size, fewest] of AGES) {
    if (seconds >= fewest * size) return `${Math.floor(seconds / size)} ${unit} ago`
  }
  return "just now"
}

/** @type {(iso: string) => HTMLElement} */
export const when = (iso) => titled(el("time", "", age(iso)), new Date(iso).toLocaleString())

// When a submission was generated, or imported where that is not known; a day has no hours.
export const dated = ({ at, day, known, guess, about }) => {
  const ago = (day && Date.now() - Date.parse(at) < 86400000 ? "today" : age(at)).replaceAll(" ", "\u00a0")
  return titled(el("time", "", known ? (guess ? `≈\u00a0${ago}` : ago) : `imported ${ago}`), about)
}

// Streamlit goes where the address says whenever the browser's history moves, so a link of ours costs no reload and one entry.
/** @type {(href: string) => void} */
export const navigate = (href) => {
  const go = () => {
    window.history.pushState({}, "", href)
    window.dispatchEvent(new PopStateEvent("popstate"))
  }
  if (new URL(href, window.location.href).pathname === window.location.pathname) go()
  else setTimeout(() => whenStill(go), JUST_TOLD)
}

// Streamlit leaves a page empty that is asked for while a part of another one is still being drawn;
// what a component has just told is on its way for some milliseconds before that begins.
const JUST_TOLD = 60

/** @type {(then: () => void, until?: number) => void} */
const whenStill = (then, until = performance.now() + 3000) => {
  const state = document.querySelector(".stApp")?.getAttribute("data-test-script-state")
  if (!state || state === "notRunning" || performance.now() > until) then()
  else setTimeout(() => whenStill(then, until), 30)
}

// An address of the same submission, with the finding that is in hand.
/** @type {(href: string) => string} */
export const withFinding = (href) => {
  const finding = new URL(window.location.href).searchParams.get("finding")
  return `${href}${finding ? `&finding=${encodeURIComponent(finding)}` : ""}`
}

/** @type {(cls: string, href: string, ...children: Child[]) => HTMLAnchorElement} */
export const link = (cls, href, ...children) => {
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
/** @type {(event: Event) => boolean} */
export const typing = (event) => {
  const target = /** @type {HTMLInputElement} */ (event.composedPath()[0])
  return target.isContentEditable || (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName ?? "") && !/^(checkbox|radio|button)$/.test(target.type))
}

// While the sheet of keys or a dialog is open, a key is for it alone.
export const isSigning = () => "signing" in document.documentElement.dataset
export const sheetOpen = () => "sheet" in document.documentElement.dataset || isSigning() || document.querySelector("[data-testid=stDialog]") !== null

/** @type {(event: KeyboardEvent) => boolean} */
export const withControl = (event) => event.ctrlKey || event.metaKey || event.altKey

/** @type {(event: KeyboardEvent) => boolean} */
export const plainKey = (event) => !(withControl(event) || event.defaultPrevented || sheetOpen() || typing(event))

// Whether a key would judge, at the desk of a person who may not.
/** @type {(state: State, event: KeyboardEvent, keys: string) => boolean} */
export const isRefused = (state, event, keys) => Boolean(state.data.only_reads) && keys.includes(event.key)

// Between two submissions, which is from a decision that leads on until the next one is on screen, no key of the page acts:
// they are kept for the decision form, whose next one they belong to. The value is the mount of the form that waits.
export const between = () => document.documentElement.dataset.between

/** @type {(mount: string | null) => void} */
export const setBetween = (mount) => {
  if (mount) document.documentElement.dataset.between = mount
  else delete document.documentElement.dataset.between
}

/** @type {(event: KeyboardEvent) => boolean} */
export const isText = (event) => event.key.length === 1 || event.key === "Backspace"

/** @type {(event: Event) => void} */
export const swallow = (event) => {
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** @type {(event: KeyboardEvent) => void} */
export const holdKey = (event) => {
  swallow(event)
  window.areachairHeld.push(event.key)
  tell("held")
}

// What the keys that are held make of a text; they are held no longer.
/** @type {(words: string) => string} */
export const heldText = (words) => window.areachairHeld.splice(0).reduce((text, key) => (key === "Backspace" ? text.slice(0, -1) : key.length === 1 ? text + key : text), words)

// This file stands before every script, and its first copy listens before anything else of the page does.
if (!window.areachairHeld) {
  window.areachairHeld = []
  window.addEventListener("keydown", (event) => {
    if (between() && (isText(event) || /^(Enter|Escape)$/.test(event.key)) && plainKey(event)) holdKey(event)
  }, true)
}

/** @type {(field: Element) => boolean} */
export const isUnfolded = (field) => field.tagName === "SELECT" && CSS.supports("selector(:open)") && field.matches(":open")

// The grammar of every form: Enter saves, Shift+Enter begins a line where there may be several, Ctrl+Enter saves and stays,
// Esc closes. Enter on a button is that button's. `other` takes the keys that only this form has, and says whether it did.
/** @type {(form: HTMLElement, keys: { save: (how: { stay: boolean }) => void, close: () => void, other?: (event: KeyboardEvent) => boolean }) => void} */
export const formKeys = (form, { save, close, other }) => form.addEventListener("keydown", (event) => {
  const field = /** @type {HTMLElement} */ (event.target)
  if (event.isComposing || isUnfolded(field)) return
  if (event.key === "Escape") close()
  else if (event.key === "Enter" && typing(event) && !(event.shiftKey && field.tagName === "TEXTAREA")) save({ stay: event.ctrlKey || event.metaKey })
  else if (!other?.(event)) return
  event.preventDefault()
  event.stopPropagation()
})

// Puts nodes into a parent in this order, touching only what differs: what stays keeps its focus, its scroll and what is typed.
/** @type {(parent: Element, nodes: Node[]) => void} */
export const arrange = (parent, nodes) => {
  const wanted = new Set(nodes)
  for (const child of [...parent.childNodes]) if (!wanted.has(child)) child.remove()
  nodes.forEach((node, place) => {
    if (parent.childNodes[place] !== node) parent.insertBefore(node, parent.childNodes[place] ?? null)
  })
}

// Scrolls the panel that holds a node, and nothing else of the page, as far as is needed to see it.
/** @type {(node: Element, covered?: number) => void} */
export const inPanel = (node, covered = 0) => {
  const panel = /** @type {ShadowRoot} */ (node.getRootNode()).host?.closest(".st-key-panel-body")
  if (!panel) return
  const [mine, box] = [node.getBoundingClientRect(), panel.getBoundingClientRect()]
  if (mine.top < box.top + covered || mine.bottom > box.bottom) panel.scrollTop += mine.top - box.top - covered - (panel.clientHeight - covered) / 3
}

/** @type {(state: State) => (HTMLElement & { name?: string, keys?: string[] }) | null} */
export const focusedIn = (state) => /** @type {any} */ (state.root.getRootNode()).activeElement

// Events go as state with a number each: a trigger that follows another too soon would replace it. What the server has not
// acknowledged in time is late; `restate` of the state draws what became of a record, and the next answer draws it away.
const LATE = 2000
export const LATE_WORDS = "The server has not answered yet; this is not saved."
/** @type {(state: State, event: Sent) => void} */
const ship = (state, event) => {
  const seq = (event.seq = ++state.seq)
  state.queue.push(event)
  setTimeout(() => {
    if (!state.queue.some((one) => one.seq === seq) || !state.root.isConnected) return
    state.overdue = seq
    state.restate?.()
  }, LATE)
  state.api.setStateValue("events", { mount: state.mount, server: state.server, queue: state.queue })
}

/** @type {(event: Sent) => number} */
const numberOf = (event) => event.seq ?? Infinity

/** @type {(state: State, event: Sent) => boolean} */
export const isLate = (state, event) => numberOf(event) <= (state.overdue ?? 0) && state.queue.includes(event)

// Streamlit asks for nothing when it is connected again, and another process than before knows no part of the page until the
// whole page has run there. One copy of this file sees to that.
if (!window.areachairWatched) {
  window.areachairWatched = true
  new MutationObserver((changes) => {
    if (!changes.some(({ oldValue, target }) => oldValue !== "CONNECTED" && /** @type {HTMLElement} */ (target).dataset.testConnectionState === "CONNECTED")) return
    whenStill(() => window.dispatchEvent(new PopStateEvent("popstate")))
  }).observe(document, { subtree: true, attributeFilter: ["data-test-connection-state"], attributeOldValue: true })
}

// What a person writes down is signed. A record is kept with its way back until the server has it. Where this browser has no
// name yet it waits: sign.js asks, beside `near`, and then it goes, or it is put back to where it was made.
const RECORDS = new Set(["decide", "decide_all", "undo", "withdraw", "rule", "remark", "find", "relate", "reread", "claim", "assign", "save_view", "repair", "repair_all", "repair_decline", "repair_edit", "repair_own"])
// What everybody may keep for themselves.
const OWN = new Set(["save_view"])
/** @type {(state: State, event: Sent, back?: Back) => Sent} */
export const send = (state, event, back) => {
  const isRecord = RECORDS.has(event.kind ?? event.action ?? "")
  // What a viewer does is not kept; the store would refuse it.
  if (isRecord && state.data.only_reads && !OWN.has(event.action ?? "")) return event
  if (isRecord) state.records.set(event, back)
  if (!(isRecord && "unsigned" in document.documentElement.dataset && askName(state))) ship(state, event)
  return event
}

/** @type {(state: State, event: Sent) => boolean} */
export const isOpen = (state, event) => state.records.has(event)

/** @type {(state: State, event: Sent) => boolean} */
export const waits = (state, event) => isOpen(state, event) && !state.queue.includes(event)

const NO_NAME = "Not saved: not signed yet"
const NO_SERVER = "Perhaps not saved: the server was gone, see whether it is there"
let whyNot = NO_NAME

/** @type {() => string} */
export const notSaved = () => whyNot

// The same words wherever a record waits.
/** @type {(words?: string) => HTMLElement} */
export const waitsNode = (words) => el("span", "waits", "Waiting for your name", words && `: ${words}`)

/** @type {(state: State, problem?: string) => boolean} */
const askName = (state, problem = "") => {
  if (state.asking) return true
  const at = () => (state.near?.([...state.records.keys()].find((event) => waits(state, event))) ?? state.root).getBoundingClientRect()
  state.asking = true
  if (tell("sign", { at, problem, release: (name) => release(state, name) })) return true
  state.asking = false
  return false
}

/** @type {(state: State, name: string) => void} */
const release = (state, name) => {
  state.asking = false
  const waiting = [...state.records].filter(([event]) => waits(state, event))
  if (name && waiting.length) waiting[0][0].signed = name
  if (name) for (const [event] of waiting) ship(state, event)
  else giveBack(state, waiting, NO_NAME)
  state.restate?.()
}

/** @type {(state: State, records: [Sent, Back | undefined][], why: string) => void} */
const giveBack = (state, records, why) => {
  whyNot = why
  for (const [event] of records) state.records.delete(event)
  for (const [event, back] of records) back?.(event)
}

// Another process answers now, or the same one after a new start: it never heard of what the one before did not acknowledge, and
// that one may have stored it or not. So nothing is sent again; a record is put back to where it was made.
/** @type {(state: State, server?: string) => void} */
const meet = (state, server) => {
  const isOther = state.server !== undefined && state.server !== server
  state.server = server
  if (!isOther || !state.queue.length) return
  const sent = [...state.records].filter(([event]) => state.queue.includes(event))
  state.queue = []
  giveBack(state, sent, NO_SERVER)
  state.restate?.()
}

// The server has acted on what it acknowledges. Where it has no name that can be kept it wrote nothing: the records wait for one.
/** @type {(state: State, done?: { mount: string, seq: number, nameless: boolean } | null) => void} */
const settle = (state, done) => {
  if (done?.mount !== state.mount) return
  const answered = state.queue.filter((event) => numberOf(event) <= done.seq)
  state.queue = state.queue.filter((event) => numberOf(event) > done.seq)
  const refused = done.nameless ? answered.filter((event) => isOpen(state, event)) : []
  if (!refused.length) return answered.forEach((event) => state.records.delete(event))
  tell("nameless")
  const { signed } = refused[0]
  if (!askName(state, signed && `The server refused ${signed}; enter another name.`)) release(state, "")
}

// Components of one page speak through events of the document; whoever handles a request cancels it.
/** @type {(name: string, detail?: unknown) => boolean} */
export const tell = (name, detail) => !document.dispatchEvent(new CustomEvent(`areachair:${name}`, { detail, cancelable: true }))

/** @type {(state: State, target: EventTarget, name: string, handler: (event: any) => void, capture?: boolean) => void} */
export const listen = (state, target, name, handler, capture = false) => {
  target.addEventListener(name, handler, capture)
  state.unlisten.push(() => target.removeEventListener(name, handler, capture))
}

// What one mounted component keeps between calls.
const states = new WeakMap()

/**
 * Make a component of what draws its state, at each change of its data, and of what starts it, once before that.
 * @type {(draw: (s: State) => void, start?: (made: State) => void) => (component: Component) => (() => void) | undefined}
 */
export const mounted = (draw, start) => (component) => {
  const { data, parentElement: parent } = component
  if (!data) return
  if (!states.has(parent)) {
    const mount = Math.random().toString(36).slice(2)
    states.set(parent, { root: parent.querySelector(".root"), data, mount, seq: 0, queue: [], records: new Map(), unlisten: [] })
    start?.(states.get(parent))
  }
  const state = Object.assign(states.get(parent), { data, api: component })
  meet(state, data.server)
  state.root.classList.toggle("only-reads", Boolean(data.only_reads))
  settle(state, data.done)
  draw(state)
  return () => {
    for (const stop of state.unlisten) stop()
    states.delete(parent)
  }
}
