// A proven repair of a finding: its ways with what each means, its lines side by side, how it is proven, and what a person does with it.
import { prose } from "./prose.js"
import { cancelOf, dismissalOf, reasonForm } from "./reason_form.js"
import { attr, button, copy, el, plural, titled } from "./shared.js"
import { signNode } from "./signs.js"
import { tokenText } from "./token_text.js"

/** @type {(size: { files: number, came: number, gone: number }) => HTMLElement} */
export const sizeNode = ({ files, came, gone }) =>
  el("span", "size muted", plural(files, "file"), came + gone ? ", " : "", came ? `+${came}` : "", came && gone ? " " : "", gone ? `−${gone}` : "")

/** @typedef {{ way: string, file: number, form: string, texts: string[], words: string, late?: boolean, open?: boolean }} Look */
// What a browser remembers of one repair: the way that is looked at, the file, and the form that is open with what is typed in it.
/** @type {(looks: Map<string, Look>, repair: any) => Look} */
const lookedAt = (looks, repair) => {
  const known = looks.get(repair.finding) ?? { way: "", file: 0, form: "", texts: [], words: "" }
  looks.set(repair.finding, known)
  return known
}

const EDITED = "edited"  // the key of the way that a person wrote

// A repair as it is once the store has heard what was said of it.
export const afterRepair = (repair, { kind, why }) => ({
  ...repair, by: "you", needs: false,
  ...{ repair_decline: { taken: "", declined: why }, repair_edit: { taken: EDITED, edit: "proving", declined: "" }, repair_own: { edit: "own" } }[kind],
})

// Who draws the block hears what a person says of the repair.
const tellOf = (node, detail) => node.dispatchEvent(new CustomEvent("areachair:repair", { bubbles: true, detail }))

// What was taken, else what is looked at, else the plan's own way; an answer that only a person can give is not chosen for them.
const chosenWay = (repair, look) =>
  repair.ways.find((way) => way.key === (look.way || repair.taken)) ?? (repair.asks ? null : repair.ways[0])

const numberNode = (number) => el("span", "line-number", number ? String(number) : "")

const rowNodes = ([old, before, number, after, changed]) => {
  const side = (at, tokens, cls, sign) => {
    const text = tokenText(tokens)
    text.classList.add(at ? (changed ? cls : "kept") : "none")
    text.prepend(el("span", "change-of", at && changed ? sign : " "))
    return [numberNode(at), text]
  }
  return [...side(old, before, "gone", "−"), ...side(number, after, "came", "+")]
}

const linesNode = (way, look, redraw) => {
  const { files } = way
  if (!files.length) return null
  const at = Math.min(look.file, files.length - 1)
  const file = files[at]
  const turn = (action, by, title) => {
    const node = titled(button("turn", action, signNode(action, "")), title)
    node.disabled = !files[at + by]
    node.addEventListener("click", (event) => {
      event.stopPropagation()
      look.file = at + by
      redraw()
    })
    return node
  }
  const pages = way.size.files > 1 ? el("span", "pages muted", `${at + 1} of ${way.size.files} files `, turn("previous", -1, "Previous file"), turn("next", 1, "Next file")) : null
  const head = el("div", "lines-head", titled(el("span", "mono path", file.path), file.path), el("span", "muted", file.is_new ? "new file" : "as generated"), el("span", "muted after", "repaired"), pages)
  const rows = attr(el("div", "lines mono", ...file.rows.flatMap(rowNodes)), { role: "group", "aria-label": `Lines of ${file.path}, old and new`, tabindex: "0" })
  return el("div", "change", head, rows, file.left && el("div", "left-out muted", `${file.left}; the patch has all of them.`))
}

const waysNode = (repair, look, redraw) => {
  if (repair.ways.length < 2 && !repair.asks) return null
  const chosen = chosenWay(repair, look)
  const nodes = repair.ways.map((way) => {
    const node = attr(button("way-of", "look", el("span", "dot"), el("span", "words", el("b", "", ...prose(repair.asks ? way.choice || way.intent : way.intent)), " ", sizeNode(way.size), way.consequence && el("span", "means muted wrap", ...prose(way.consequence)))),
                      { role: "radio", "aria-checked": String(way === chosen) })
    node.addEventListener("click", (event) => {
      event.stopPropagation()
      Object.assign(look, { way: way.key, file: 0 })
      redraw()
    })
    return node
  })
  const first = repair.ways.indexOf(chosen)
  nodes.forEach((node, at) => (node.tabIndex = at === Math.max(0, first) ? 0 : -1))
  const group = attr(el("div", "ways", ...nodes), { role: "radiogroup", "aria-label": repair.asks || "Ways to repair it" })
  group.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (!by) return
    event.preventDefault()
    event.stopPropagation()
    const next = (nodes.indexOf(/** @type {HTMLButtonElement} */ (event.target)) + by + nodes.length) % nodes.length
    nodes[next].click()
  })
  return group
}

const EDITS = {
  proving: ["unreached", "Your lines are being reviewed."],
  failed: ["unreached", "Not reviewed: ", ". Try again under Repairs."],
  unproven: ["unverified", "Not proven: ", ", so they are not in the patch."],
  own: ["person", "Not proven: ", ". They are in the patch all the same."],
}

/** @type {(repair: any) => HTMLElement[]} */
export const editNodes = (repair) => {
  const [sign, words, then] = EDITS[repair.edit]
  return [signNode(sign, ""), then ? el("span", "wrap", el("b", "", words), ...prose(repair.why_not), then) : el("span", "", words)]
}

const proofNode = (repair, way) => {
  if (way?.key === EDITED && repair.edit !== "proven") return [el("div", `proved edit is-${repair.edit}`, ...editNodes(repair))]
  const line = el("div", "proved", signNode("confirmed", ""), el("span", "wrap", el("b", "check confirmed", "Proved: "), ...prose(repair.proof), "."))
  if (!repair.shown.length) return [line]
  return [line, el("ul", "next-met muted", ...repair.shown.map((words) => el("li", "wrap", "next a run meets ", ...prose(words))))]
}

export const copyButton = (words, text, missing) => {
  const node = button("act quiet", "copy-patch", words)
  if (text === null) return Object.assign(titled(node, missing), { disabled: true })
  node.addEventListener("click", (event) => {
    event.stopPropagation()
    copy(text).then(() => (node.textContent = "Copied"), () => (node.textContent = "The browser does not allow it"))
    setTimeout(() => (node.textContent = words), 1500)
  })
  return node
}

const TOO_LONG = "Too long to copy here, or not all of it is text: areachair fix PATH --diff writes it"

// Buttons of the action `repair` take the way in `data-way`; none takes it back. Who draws the block acts on them.
const actsNode = (repair, way, opens) => {
  const taken = repair.ways.find((one) => one.key === repair.taken)
  const acts = el("div", "repair-acts")
  if (repair.declined) {
    const back = button("act", "repair", "Restore", el("kbd", "", "p"))
    back.dataset.way = ""
    acts.append(el("span", "declined wrap", el("b", "", "Declined"), repair.by ? ` by ${repair.by}` : "", `: ${repair.declined}`), back)
    return acts
  }
  if (taken) {
    const back = button("act", "repair", "Withdraw", el("kbd", "", "p"))
    back.dataset.way = ""
    acts.append(el("span", "taken", taken.key === EDITED ? "Edited" : "Accepted", repair.by ? ` by ${repair.by}` : ""), back)
  }
  if (taken?.key === EDITED && repair.edit === "unproven") {
    const own = titled(button("act", "repair-own", "Take it unproven"), "It gets into the patch as your own, and is said to be not proven")
    own.addEventListener("click", () => tellOf(own, { kind: "repair_own" }))
    acts.append(own)
  }
  if (!taken || (way && way !== taken)) {
    const accept = button("act accept", taken ? "repair-instead" : "repair", taken ? "Accept this way instead" : repair.asks ? "Accept this answer" : "Accept the repair", taken ? null : el("kbd", "", "p"))
    accept.disabled = !way
    if (way) accept.dataset.way = way.key
    if (taken) accept.dataset.action = "repair"
    acts.append(accept)
  }
  const edit = button("act", "repair-edit", taken?.key === EDITED ? "Edit again" : "Edit")
  edit.disabled = !way?.hunks
  titled(edit, !way ? "Choose an answer first" : way.hunks ? "Change its lines; they are reviewed again" : "Its lines are too long to edit here, or not all of them are plain text")
  edit.addEventListener("click", () => opens("edit"))
  acts.append(edit)
  if (!taken) {
    const decline = button("act", "repair-decline", "Decline")
    decline.addEventListener("click", () => opens("decline"))
    acts.append(decline)
  }
  if (repair.needs) acts.append(el("span", "needs", "Not in the patch: it needs a repair before it that is not accepted."))
  if (way) acts.append(copyButton("Copy patch", way.patch, TOO_LONG))
  return acts
}

const REASONS = ["I mend it otherwise", "It changes what is measured", "It mends the wrong place", "The finding is wrong", "Not worth it"]

const declineForm = (look, close) => {
  const form = reasonForm("repair-form", REASONS, "Decline", "Why the repair is declined")
  form.elements.words.value = look.words
  form.addEventListener("input", () => (look.words = form.elements.words.value))
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    event.stopPropagation()
    const why = dismissalOf(form)
    if (!why) form.querySelector(".note").textContent = "Say why in a few words, or choose a reason."
    else close({ kind: "repair_decline", why })
  })
  return form
}

// The lines of each hunk as a person wants them, with those around them.
const editForm = (look, way, close) => {
  const note = attr(el("span", "note"), { role: "status" })
  const areas = way.hunks.map((hunk, at) => {
    const area = attr(Object.assign(el("textarea", "mono"), { value: look.texts[at] ?? hunk.text, spellcheck: false, wrap: "off" }), { autocapitalize: "off", autocomplete: "off" })
    area.rows = Math.min(24, area.value.split("\n").length)
    area.setAttribute("aria-label", `Lines of ${hunk.path} from line ${hunk.line}`)
    area.addEventListener("input", () => (look.texts[at] = area.value))
    return el("label", "hunk", el("span", "muted", el("span", "mono", hunk.path), `, from line ${hunk.line}`), area)
  })
  const save = Object.assign(el("button", "act strong", "Review my lines ", el("kbd", "", "Ctrl+Enter")), { type: "submit" })
  const form = el("form", "repair-form is-edit", ...areas, save, cancelOf(), note)
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    event.stopPropagation()
    const texts = areas.map((label) => label.querySelector("textarea").value)
    if (texts.every((text, at) => text === way.hunks[at].text)) note.textContent = "Nothing is changed yet."
    else close({ kind: "repair_edit", way: way.key, texts })
  })
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit()
    else if (event.key === "Escape") close()
    else return
    event.preventDefault()
    event.stopPropagation()
  })
  return form
}

const STATES = { proving: "A repair is being looked for and proven.", failed: "It could not be looked for: see Repairs.", none: "No repair of it could be proven." }

// What comes while the card is looked at takes no more room than the line that stood there, until it is opened.
/** @type {(repair: any, looks: Map<string, Look>) => HTMLElement} */
export const repairNode = (repair, looks) => {
  const node = attr(el("section", "repair"), { "aria-label": "Repair" })
  if (repair.state !== "there") {
    if (repair.state === "proving") lookedAt(looks, repair).late = true
    node.append(el("div", "repair-head", el("b", "", "Repair"), el("span", "intent muted", STATES[repair.state])))
    return node
  }
  const draw = (event) => {
    const look = lookedAt(looks, repair)
    const way = chosenWay(repair, look)
    const held = /** @type {any} */ (node.getRootNode()).activeElement
    const wasIn = event !== "first" && held && node.contains(held) ? held.dataset.action : ""
    const offered = repair.ways.filter((one) => one.key !== EDITED)
    const several = offered.length > 1 && !repair.asks && (look.open || !look.late)
    const intent = repair.asks || (several ? `${offered.length} ways hold.` : offered[0].intent)
    const opens = (form) => {
      Object.assign(look, { form, texts: [], words: "" })
      draw()
      node.querySelector("form :is(input, textarea)")?.focus({ preventScroll: true })
      node.querySelector("form")?.scrollIntoView({ block: "nearest" })
    }
    const close = (said) => {
      look.form = ""
      draw()
      if (said) tellOf(node, said)
      else node.querySelector("[data-action=repair-edit]")?.focus({ preventScroll: true })
    }
    const head = el("div", "repair-head", repair.asks ? signNode("person", "only a person can choose") : null,
                    el("b", "", repair.asks ? "Your choice" : "Repair"), el("span", `intent wrap${several ? " muted" : ""}`, ...prose(intent)),
                    repair.count > 1 ? el("span", "nth muted", `${repair.number} of ${repair.count}`) : null)
    if (look.late) {
      const fold = attr(button("act", "repair-fold", look.open ? "Fold" : "Show"), { "aria-expanded": String(Boolean(look.open)) })
      fold.addEventListener("click", (event) => {
        event.stopPropagation()
        look.open = !look.open
        draw()
      })
      head.append(fold)
      if (!look.open) return node.replaceChildren(head)
    }
    const single = way && repair.ways.length < 2 && !repair.asks && way.consequence ? el("div", "means muted wrap", ...prose(way.consequence)) : null
    const form = repair.declined ? null : look.form === "decline" ? declineForm(look, close) : look.form === "edit" && way?.hunks ? editForm(look, way, close) : null
    form?.addEventListener("click", (event) => {
      event.stopPropagation()
      if (/** @type {HTMLElement} */ (event.target).closest("[data-action=cancel]")) close()
    })
    const proven = form?.matches(".is-edit") ? [] : [way && linesNode(way, look, draw), ...proofNode(repair, way)]
    node.replaceChildren(...[head, single, waysNode(repair, look, draw), ...proven, form ?? actsNode(repair, way, opens)].filter(Boolean))
    node.classList.toggle("is-declined", Boolean(repair.declined))
    if (wasIn) (node.querySelector(`[data-action="${wasIn}"][aria-checked=true]`) ?? node.querySelector(`[data-action="${wasIn}"]:not(:disabled)`))?.focus({ preventScroll: true })
  }
  draw("first")
  return node
}
