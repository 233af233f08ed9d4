// The plan of repairs, in the order in which a run meets what they repair. A click on one leads to its card; what no card tells of
// yet shows its lines here.
import { prose } from "./prose.js"
import { afterRepair, copyButton, editNodes, repairNode, sizeNode } from "./repair_block.js"
import { attr, button, el, focusedIn, isLate, isOpen, LATE_WORDS, link, listen, mounted, plural, send, tell, titled, waits, waitsNode } from "./shared.js"
import { signNode, summaryNode } from "./signs.js"

// What a person just did shows at once, and until Python has answered; what waits for its name is not done.
const now = (s) => {
  s.said = s.said.filter((event) => isOpen(s, event))
  return s.data.repairs.map((repair) => {
    const said = s.said.findLast((event) => event.kind === "repair_all" ? !repair.asks && !repair.taken && !repair.declined : event.finding === repair.finding)
    if (!said || waits(s, said)) return said ? { ...repair, waiting: true } : repair
    if (said.kind !== "repair" && said.kind !== "repair_all") return { ...afterRepair(repair, said), late: isLate(s, said) }
    const way = said.kind === "repair" ? said.way : repair.ways[0].key
    return { ...repair, taken: way ?? "", declined: "", by: "you", needs: false, busy: true, late: isLate(s, said) }
  })
}

const say = (s, event) => {
  s.said.push(send(s, event, () => draw(s)))
  draw(s)
}

const take = (s, repair, way) => say(s, { kind: "repair", finding: repair.finding, way })

const show = (s, repair) => {
  const wish = repair.key ? { file: repair.file, key: repair.key } : { file: repair.file, line: repair.line }
  if (!tell("show", wish)) send(s, { kind: "open", ...wish })
}

const actOf = (cls, words, by, way, pressed) => {
  const node = button(`act ${cls}`, "take", words)
  node.dataset.name = `${by}/${way ?? ""}`
  if (pressed !== undefined) node.setAttribute("aria-pressed", String(pressed))
  return node
}

// A question has its answers as buttons, none of them pressed by us; all else is accepted or not.
const choicesNode = (s, repair) => {
  const acts = el("div", "choices")
  if (repair.declined) {
    const back = attr(actOf("", "Restore", repair.finding, null), { "aria-label": `Restore repair ${repair.number}` })
    back.addEventListener("click", () => take(s, repair, null))
    acts.append(back)
    return acts
  }
  if (repair.asks) {
    for (const way of repair.ways) {
      const node = titled(actOf("answer", way.choice || way.intent, repair.finding, way.key, way.key === repair.taken), way.consequence || way.intent)
      node.disabled = Boolean(s.data.only_reads)
      node.addEventListener("click", () => take(s, repair, way.key === repair.taken ? null : way.key))
      acts.append(node)
    }
    return acts
  }
  const node = repair.taken ? actOf("", "Withdraw", repair.finding, null) : actOf("", "Accept", repair.finding, "1")
  node.setAttribute("aria-label", `${repair.taken ? "Withdraw" : "Accept"} repair ${repair.number}`)
  node.addEventListener("click", () => take(s, repair, repair.taken ? null : repair.ways[0].key))
  acts.append(node)
  return acts
}

const itemNode = (s, repair) => {
  const way = repair.ways.find((one) => one.key === repair.taken) ?? repair.ways[0]
  const words = repair.asks || way.intent
  const name = button("intent wrap", "show", ...prose(words))
  name.dataset.name = repair.finding
  name.addEventListener("click", () => show(s, repair))
  const edited = repair.taken === "edited" && repair.edit !== "proven"
  const proof = repair.declined ? el("div", "declined wrap", `declined${repair.by ? ` by ${repair.by}` : ""}: ${repair.declined}`)
    : edited ? el("div", "proof", ...editNodes(repair))
    : repair.asks && !repair.taken ? el("div", "proof", signNode("person", ""), el("span", "", "only a person can choose"))
    : el("div", "proof", signNode("confirmed", ""), el("span", "wrap", "proved: ", ...prose(repair.proof)))
  const place = repair.place ? titled(el("span", "mono place", repair.place.split("/").at(-1)), repair.place) : null
  const state = repair.late ? el("span", "late", LATE_WORDS) : repair.waiting ? waitsNode() : repair.taken ? el("span", "taken", `${repair.taken === "edited" ? "edited" : "accepted"}${repair.by ? ` by ${repair.by}` : ""}`) : null
  const where = el("div", "where muted", place, sizeNode(way.size))
  const body = el("div", "body", name, where, proof, el("div", "foot", choicesNode(s, repair), state))
  if (repair.needs) body.append(el("div", "needs", "Not in the patch: it needs a repair before it that is not accepted."))
  const others = repair.ways.filter((one) => one.key !== "edited").length - 1
  if (others > 0 && !repair.asks && !repair.taken && !repair.declined) where.append(el("span", "", `or ${plural(others, "other way")}`))
  if (repair.ways.some((one) => one.files.length)) {
    const fold = el("details", "whole", summaryNode("muted", "Its lines"), repairNode(repair, s.repairs))
    fold.open = s.unfolded.has(repair.finding)
    fold.addEventListener("toggle", () => s.unfolded[fold.open ? "add" : "delete"](repair.finding))
    fold.addEventListener("areachair:repair", (event) => say(s, { .../** @type {CustomEvent} */ (event).detail, finding: repair.finding }))
    fold.addEventListener("click", (event) => {
      const asked = /** @type {HTMLElement} */ (event.target).closest("[data-action=repair]")
      if (asked) take(s, repair, asked.dataset.way || null)
    })
    body.append(fold)
  }
  const node = el("li", ["item", repair.taken && "is-taken", repair.declined && "is-declined", repair.key && repair.key === s.current && "current"].filter(Boolean).join(" "), el("span", "n", String(repair.number)), body)
  if (repair.key === s.current && repair.key) node.setAttribute("aria-current", "true")
  return node
}

const downloadButton = (name, patch) => {
  const node = titled(button("act", "download", "Download"), "The patch as a file; git apply takes it")
  node.disabled = patch === null
  node.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([patch], { type: "text/x-patch" }))
    Object.assign(el("a"), { href: address, download: `${name}.patch` }).click()
    setTimeout(() => URL.revokeObjectURL(address), 60_000)
  })
  return node
}

const footNode = (s, repairs) => {
  const { patch, patch_of, whole_patch, proving, mending, href } = s.data
  const free = repairs.filter((repair) => !repair.asks && !repair.taken && !repair.declined)
  const acts = el("div", "acts")
  const all = actOf("", repairs.some((repair) => repair.asks) ? "Accept all without a question" : "Accept all", "all", null)
  all.disabled = !free.length
  all.addEventListener("click", () => say(s, { kind: "repair_all" }))
  acts.append(all)
  const busy = s.said.length || proving
  const copied = copyButton("Copy patch", busy ? null : patch, busy ? "The accepted repairs are being proven together" : whole_patch ? "Too long to copy here, or not all of it is text: areachair fix PATH --diff writes it" : "There is nothing to change")
  acts.append(copied, downloadButton(s.data.name, busy ? null : patch))
  if (href && !busy) acts.append(link("act", href, "Open as next attempt"))
  else {
    const mend = button("act", "mend", mending || s.mending ? "Making the next attempt…" : "Open as next attempt")
    mend.disabled = Boolean(busy || mending || s.mending || !whole_patch)
    mend.addEventListener("click", () => {
      s.mending = true
      send(s, { kind: "mend" })
      draw(s)
    })
    acts.append(mend)
  }
  const told = attr(el("div", "told muted", busy ? "Proving the accepted repairs together…" : patch_of ? `Patch and attempt contain ${patch_of}.` : ""), { role: "status" })
  return el("div", "foot-of", acts, told)
}

const WORDS = {
  none: "Nothing of what the rules proved stops a run, so there is nothing to repair.",
  nothing: "What stops a run here is not mechanical: no repair of it could be proven.",
  proving: "Repairs are being proven: each is made on a copy and reviewed again.",
}

const againButton = (s) => {
  const node = button("act", "prove", "Try again")
  node.addEventListener("click", () => send(s, { kind: "prove" }))
  return node
}

const stateNode = (s) => {
  const { state, problem } = s.data
  if (state !== "failed") return el("p", "state-of muted", WORDS[state])
  return el("p", "state-of", "The repairs could not be proven: ", ...prose(problem || "the worker stopped"), ". ", againButton(s))
}

const leftNode = ({ left, more }) => {
  if (!left.length) return null
  const lines = left.map((line) => el("li", "wrap", ...prose(line)))
  if (more) lines.push(el("li", "muted", `${more} more`))
  return el("details", "left", summaryNode("muted", `${plural(left.length + more, "blocker")} without a repair`), el("ul", "", ...lines))
}

const draw = (s) => {
  const focused = focusedIn(s)
  const [name, action] = [focused?.dataset.name, focused?.dataset.action]
  const repairs = now(s)
  const list = attr(el("ol", "plan", ...repairs.map((repair) => itemNode(s, repair))), { "aria-label": "Repairs, in the order of a run" })
  const words = s.data.state === "failed" ? "" : s.data.problem
  const problem = words ? el("p", "problem", ...(s.data.unmade ? ["What is accepted could not be made: ", ...prose(words), ". ", againButton(s)] : prose(words))) : null
  s.root.replaceChildren(...(repairs.length ? [list, el("p", "ends", ...prose(s.data.ends)), leftNode(s.data), problem, footNode(s, repairs)] : [stateNode(s), leftNode(s.data)]).filter(Boolean))
  const again = name ? `[data-name="${CSS.escape(name)}"]` : action ? `[data-action="${action}"]` : ""
  if (again) s.root.querySelector(again)?.focus({ preventScroll: true })
}

export default mounted((s) => {
  if (s.data.mending || s.data.href || s.data.problem) s.mending = false
  draw(s)
  if (!s.asked) tell("which")
  s.asked = true
}, (made) => {
  Object.assign(made, { said: [], unfolded: new Set(), repairs: new Map() })
  made.restate = () => draw(made)
  listen(made, document, "areachair:selected", ({ detail }) => {
    if (made.current === detail.key) return
    made.current = detail.key
    draw(made)
  })
})
