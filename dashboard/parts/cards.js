// A finding as a card: what is wrong, who says so, what the code says to it, and what people say to both. A card of the kind
// "outcome" is what a real run did there: it has neither reviewer nor fact check, and nothing to rule on.
import { prose } from "./prose.js"
import { asForm, cancelOf, reasonForm, submitOf } from "./reason_form.js"
import { repairNode } from "./repair_block.js"
import { LATE_WORDS, button, choice, el, notSaved, titled, waitsNode, when } from "./shared.js"
import { reviewerMark, signNode, summaryNode } from "./signs.js"

/** @type {[string, string][]} */
export const SEVERITIES = [["blocker", "blocker"], ["major", "major"], ["minor", "minor"]]

export const isFolded = (card) => card.check === "refuted"

export const placeButton = (target) => {
  const node = button("place mono", "goto", target.place)
  node.dataset.file = target.file
  node.dataset.line = target.line ?? ""
  return node
}

const CHECK_WORDS = { confirmed: "Confirmed", refuted: "Refuted", unverified: "Unverified" }

// The words of a card, without its buttons; what the cards above it in its group say already is not said again.
const cardBody = (card, above) => {
  const body = el("div", "body")
  const said = new Set(above.flatMap((one) => [one.claim, one.message, one.evidence, one.shown_at?.place]))
  const isNew = (words) => words && !said.has(words) && said.add(words)
  if (isNew(card.message)) body.append(el("div", "message wrap", ...prose(card.message)))
  if (isNew(card.claim)) body.append(el("blockquote", "claim wrap", ...prose(card.claim)))
  if (card.kind !== "outcome") body.append(proofLine(card, above, isNew))
  if (card.understood) body.append(understoodPart(card.understood))
  if ((card.found || card.also?.length) && !above.length) body.append(placesLine(card))
  return body
}

// What the code says to it, and who should have said it and did not.
const proofLine = (card, above, isNew) => {
  const line = el("div", "proof", signNode(card.check, ""), el("b", `check ${card.check}`, CHECK_WORDS[card.check]))
  const words = el("span", "evidence wrap")
  const { shown_at: shown } = card
  const leads = shown && shown.place !== card.place && isNew(shown.place)
  if (isNew(card.evidence) && !card.own) {
    // The place is a link where the words name it, else after them.
    const [before, ...rest] = leads ? card.evidence.split(shown.place) : [card.evidence]
    words.append(...prose(before), ...(leads ? [rest.length ? "" : " ", placeButton(shown), ...prose(rest.join(shown.place))] : []), " ")
  } else if (leads) words.append(placeButton(shown), " ")
  if (card.misreading) words.append(el("span", "why", `The reviewer ${card.misreading}.`))
  if (words.textContent) line.append(words)
  if (card.missed_by?.length && !above.length) line.append(el("span", "missed", `missed by ${card.missed_by.join(", ")}`))
  return line
}

// How a claim was read, part by part, each with what the code says to it; whoever read it otherwise stands below.
const understoodPart = ({ reader, why_not, looked_at, otherwise, history, parts }) => {
  const title = why_not ? "Not read" : reader ? "Understood as" : "Parts"
  const by = [looked_at && `looked at ${looked_at}`, reader && `read by ${reader}`].filter(Boolean).join(" · ")
  const node = el("section", "understood", el("div", "read", el("b", "", title), el("span", "by muted", by)))
  if (why_not) node.append(el("div", "muted wrap", ...prose(why_not)))
  const list = el("ul", "parts")
  for (const part of parts) {
    const shown = el("div", "shown muted", part.at ? placeButton(part.at) : null, el("span", "wrap", ...prose(withoutPlace(part))))
    list.append(el("li", part.check, signNode(part.check), el("div", "", el("span", "wrap", ...prose(part.words)), shown.textContent ? shown : null)))
  }
  node.append(list)
  for (const other of otherwise) node.append(el("div", "otherwise wrap", el("b", "", `${other.reader} reads it differently: `), ...prose(other.sentence)))
  if (history.length) node.append(historyPart(history))
  return node
}

// How people read it over time; what counts now stands above.
const historyPart = (history) => {
  const lines = history.map(({ author, at, sentence }) =>
    el("li", "", el("b", "", author), ...(sentence ? [" read it as ", ...prose(sentence)] : [" withdrew their reading"]), " · ", when(at)))
  return el("details", "history", summaryNode("muted", `How people read it (${history.length})`), el("ol", "", ...lines))
}

// The place stands before as a button.
const withoutPlace = ({ at, evidence }) => (at && evidence.startsWith(`${at.place}: `) ? evidence.slice(at.place.length + 2) : evidence)

// Why a claim is shown here, and where else it may belong; of what a rule found, where else it is or shows.
const placesLine = (card) => {
  const line = el("div", "places muted", card.found ? `Placed at ${card.found}. ` : "")
  if (card.also.length) line.append("Also: ")
  card.also.forEach((other, index) => line.append(index ? ", " : "", placeButton(other), ` (${other.found})`))
  return line
}

const severityChoice = (card) => {
  const node = choice("severity", "Severity", SEVERITIES, card.severity)
  node.className = `severity ${card.severity}`
  return titled(node, card.was ? `The reviewer said ${card.was}` : "Change the severity (key s)")
}

const topicOf = (card) => [card.criterion, card.category].filter(Boolean).join(" · ")

const cardHead = (card, above, help) => {
  const head = el("header")
  if (card.kind === "outcome") head.append(el("b", "", card.title ?? "Result of a real run"))
  else head.append(signNode(card.severity, ""), severityChoice(card))
  if (card.was) head.append(el("span", "was muted", `was ${card.was}`))
  if (card.reviewer) {
    const rule = help ? [] : [card.rule && el("span", "mono", card.rule), card.name && el("span", "", card.name)]
    head.append(el("span", "who", reviewerMark(card), el("b", "", card.reviewer), card.own ? when(card.own) : null, ...rule))
  }
  if (topicOf(card) && !above.some((one) => topicOf(one) === topicOf(card))) head.append(el("span", "topic muted", topicOf(card)))
  head.append(el("span", "position"))
  return head
}

const exampleOf = (title, text) => el("figure", "", el("figcaption", "muted", title), el("pre", "mono", text))

// What the rule says of itself: why its pattern fails, and an example of it beside one that is fine; written once it is opened.
const helpFold = ({ title, why, bad, good }) => {
  const node = el("details", "help", summaryNode("", "Why it matters, and how to mend it ", el("span", "muted", title)))
  node.addEventListener("toggle", () => node.append(el("div", "why-text", ...prose(why)), el("div", "examples", exampleOf("Flagged", bad), exampleOf("Fine", good))), { once: true })
  return node
}

const rulingLine = ({ word, author, reason, at }) => {
  const said = word === "confirm" ? "Confirmed" : "Dismissed"
  const line = el("div", "ruling", el("span", "wrap", el("b", "", said), ` by ${author}`, reason ? `: ${reason}` : "", " · ", when(at)))
  line.append(button("act", "withdraw", "Withdraw"))
  return line
}

const remarkLine = ({ author, at, severity, comment }) => {
  const line = el("div", "remark", el("span", "said muted", el("b", "", author), severity ? ` says ${severity}` : "", " · ", when(at)))
  if (comment) line.append(el("div", "wrap", comment))
  return line
}

export const dismissForm = (reasons) => reasonForm("dismiss", reasons, "Dismiss", "Why it is dismissed")

const commentForm = () => {
  const words = Object.assign(el("textarea"), { name: "words", placeholder: "Comment", maxLength: 2000, rows: 1 })
  words.setAttribute("aria-label", "Comment")
  return asForm(el("form", "comment", words, submitOf("Comment"), cancelOf()))
}

// What became of a word that the store has not got yet.
const stateLine = (card) => {
  if (!card.late && !card.waits && !card.unsigned) return null
  const line = card.late ? el("div", "state late", LATE_WORDS) : card.waits ? el("div", "state", waitsNode(card.saying))
    : el("div", "state", `${notSaved()}: ${card.unsigned} `, button("act", "again", "Save"))
  line.setAttribute("role", "status")
  return line
}

const actionsOf = (card) => {
  const word = card.ruling?.word
  const act = (action, label, key, pressed) => {
    const node = button("act", action, label, key && el("kbd", "", key))
    if (pressed !== undefined) node.setAttribute("aria-pressed", String(pressed))
    return node
  }
  return el("div", "actions", act("confirm", "Confirm", "c", word === "confirm"), act("dismiss", "Dismiss", "d", word === "dismiss"),
            act("comment", "Comment", "m"), card.claim && !card.rule && !card.own ? titled(act("reread", "Read differently", "r"), "State what the claim means and see its fact check") : null,
            titled(act("copy", "Copy link"), "Copy the address of this finding"))
}

export const cardNode = (card, above, reasons, help, repairs) => {
  const classes = [card.severity, `is-${card.kind}`, `is-${card.check ?? "known"}`, above.length && "joined", card.busy && "busy"]
  const node = el("article", ["card", ...classes].filter(Boolean).join(" "))
  node.dataset.key = card.key
  node.tabIndex = -1
  node.setAttribute("aria-label", [card.reviewer, card.severity, card.place].filter(Boolean).join(", "))
  const [head, body] = [cardHead(card, above, help), cardBody(card, above)]
  node.append(head, body)
  if (card.kind === "outcome") return node
  if (card.repair && !above.some((one) => one.repair)) node.append(repairNode(card.repair, repairs))
  if (card.ruling) node.append(rulingLine(card.ruling))
  const state = stateLine(card)
  if (state) node.append(state)
  if (card.remarks.length) node.append(el("div", "thread", ...card.remarks.map(remarkLine)))
  if (help && !above.some((one) => one.rule === card.rule)) node.append(helpFold(help))
  // Where a reviewer only agrees with the one above, one line says it.
  const proof = body.firstElementChild
  const isEcho = proof && above.length && proof.matches(".proof:only-child") && !proof.querySelector(".evidence") && !card.ruling && !card.remarks.length && !state
  if (isEcho) {
    head.append(...proof.childNodes, actionsOf(card))
    body.replaceChildren()
  }
  else node.append(actionsOf(card))
  node.append(dismissForm(reasons), commentForm())
  if (isFolded(card)) {
    const gist = el("span", "gist", ...prose(card.message || card.claim))
    const fold = button("fold", "unfold", signNode("fold", ""), reviewerMark(card), signNode("refuted"), gist, card.late || card.waits ? stateLine(card) : (card.ruling ? el("span", "muted", "dismissed") : null))
    node.prepend(fold)
  }
  return node
}

export const unfold = (node, open) => {
  const fold = node.querySelector(".fold")
  node.classList.toggle("folded", Boolean(fold) && !open)
  fold?.setAttribute("aria-expanded", String(open))
}
