// A finding as a card: what is wrong, who says so, what the code says to it, and what a person says to both.

const isFolded = (card) => card.check === "refuted"

const placeButton = (target) => {
  const node = button("place mono", "goto", target.place)
  node.dataset.file = target.file
  node.dataset.line = target.line ?? ""
  return node
}

// The words of a card, without its buttons.
const cardBody = (card) => {
  const body = el("div", "body")
  if (card.claim) body.append(el("blockquote", "claim wrap", card.claim))
  if (card.message !== card.claim) body.append(el("div", "message wrap", card.message))
  if (card.evidence !== card.message || card.shown_at) {
    const evidence = el("div", `evidence ${card.check}`)
    if (card.evidence !== card.message) evidence.append(el("span", "wrap", card.evidence), " ")
    if (card.misreading) evidence.append(el("span", "why", `The reviewer ${card.misreading}.`), " ")
    if (card.shown_at && card.shown_at.place !== card.place) evidence.append(placeButton(card.shown_at))
    if (evidence.childNodes.length) body.append(evidence)
  }
  if (card.found) body.append(placesLine(card))
  return body
}

// Why a claim is shown here, and where else it may belong.
const placesLine = (card) => {
  const line = el("div", "places muted", `Shown here: ${card.found}.`)
  if (card.also.length) line.append(" Also: ")
  card.also.forEach((other, index) => line.append(index ? ", " : "", placeButton(other), ` (${other.found})`))
  return line
}

const cardHead = (card) => {
  const head = el("header", "", el("span", `severity ${card.severity}`, card.severity), checkBadge(card.check))
  if (card.missed_by.length) head.append(el("span", "missed", `missed by ${card.missed_by.join(", ")}`))
  const which = [card.rule && el("span", "mono", card.rule), card.name && el("span", "", card.name)]
  head.append(el("span", "who", el("b", "", card.reviewer), ...which))
  head.append(el("span", "topic muted", [card.criterion, card.category].filter(Boolean).join(" · ")))
  return head
}

const rulingLine = (card) => {
  const { word, author, reason, at } = card.ruling
  const said = word === "confirm" ? "Confirmed" : "Dismissed"
  const line = el("div", "ruling", el("span", "wrap", el("b", "", said), ` by ${author}`, reason ? `: ${reason}` : "", " · "), when(at))
  line.append(button("act", "withdraw", "Withdraw"))
  return line
}

const dismissForm = (reasons) => {
  const form = el("form", "dismiss")
  const choice = el("select", "", ...reasons.map((reason) => el("option", "", reason)))
  choice.name = "reason"
  choice.setAttribute("aria-label", "Reason")
  const more = el("input")
  more.name = "more"
  more.placeholder = "More, if it helps"
  more.maxLength = 500
  more.setAttribute("aria-label", "More about the reason")
  const submit = el("button", "act strong", "Dismiss")
  submit.type = "submit"
  form.append(choice, more, submit, button("act", "cancel", "Cancel"))
  return form
}

const cardNode = (card, reasons) => {
  const node = el("article", `card ${card.severity} is-${card.check}`)
  node.dataset.key = card.key
  node.tabIndex = -1
  const head = cardHead(card)
  node.append(head, cardBody(card))
  if (card.ruling) node.append(rulingLine(card))
  else {
    const confirm = button("act", "confirm", "Confirm", el("kbd", "", "c"))
    head.append(el("span", "actions", confirm, button("act", "dismiss", "Dismiss", el("kbd", "", "d"))))
    node.append(dismissForm(reasons))
  }
  if (isFolded(card)) {
    const gist = el("span", "gist", card.claim || card.message)
    const who = el("span", "muted", card.reviewer, card.ruling ? ", dismissed" : "")
    const fold = button("fold", "unfold", el("span", "turn", "▸"), checkBadge("refuted"), gist, who)
    fold.setAttribute("aria-expanded", "false")
    node.classList.add("folded")
    node.prepend(fold)
  }
  return node
}

const unfold = (node, open) => {
  node.classList.toggle("folded", !open)
  node.querySelector(".fold")?.setAttribute("aria-expanded", String(open))
}
