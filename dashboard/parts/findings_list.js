// Chips filter in the browser; a click asks the code view first, and Python only where another file is to be opened.
const CHECKS = ["confirmed", "unverified", "refuted"]

const chip = (s, facet, value, label, count) => {
  const node = button("chip", "filter", label, " ", el("span", "muted", String(count)))
  node.setAttribute("aria-pressed", String(s.chosen[facet] === value))
  node.addEventListener("click", () => {
    s.chosen[facet] = s.chosen[facet] === value ? null : value
    draw(s)
  })
  return node
}

const fits = (s, card, without) =>
  (without === "reviewer" || !s.chosen.reviewer || card.reviewer === s.chosen.reviewer) &&
  (without === "check" || !s.chosen.check || card.check === s.chosen.check)

const count = (s, facet, value) => s.data.cards.filter((card) => card[facet] === value && fits(s, card, facet)).length

const item = (s, card) => {
  const node = button(`item ${card.severity} is-${card.check}`, "show")
  node.dataset.key = card.key
  const who = [card.reviewer, card.rule].filter(Boolean).join(" ")
  const where = el("span", "where", el("span", "mono", card.place || "no place found"), el("span", "muted", who))
  if (card.missed_by.length) where.append(el("span", "missed", `missed by ${card.missed_by.join(", ")}`))
  const word = card.ruling?.word === "confirm" ? "confirmed" : "dismissed"
  if (card.ruling) where.append(el("span", "muted", `${word} by ${card.ruling.author}`))
  const mark = titled(el("span", `mark check ${card.check}`, CHECK_MARK[card.check]), card.check)
  node.append(titled(el("span", "dot"), card.severity), mark, el("span", "text", el("span", "gist", card.claim || card.message), where))
  node.addEventListener("click", () => {
    if (!tell("show", { file: card.file, key: card.key })) send(s, { kind: "open", file: card.file, key: card.key })
    current(s, card.key, false)
  })
  return node
}

const current = (s, key, scroll = true) => {
  s.current = key
  for (const node of s.list.children) node.classList.toggle("current", node.dataset.key === key)
  const node = s.list.querySelector(".current")
  if (!scroll || !node) return
  const [mine, box] = [node.getBoundingClientRect(), s.list.getBoundingClientRect()]
  if (mine.top < box.top || mine.bottom > box.bottom) s.list.scrollTop += mine.top - box.top - s.list.clientHeight / 3
}

const draw = (s) => {
  const reviewers = [...new Set(s.data.cards.map((card) => card.reviewer))]
  const chips = CHECKS.map((check) => chip(s, "check", check, `${CHECK_MARK[check]} ${check}`, count(s, "check", check)))
  if (reviewers.length > 1) {
    chips.unshift(...reviewers.map((name) => chip(s, "reviewer", name, name, count(s, "reviewer", name))), el("span", "gap"))
  }
  s.chips.replaceChildren(...chips)
  const shown = s.data.cards.filter((card) => fits(s, card))
  const focused = s.root.getRootNode().activeElement?.dataset.key
  const top = s.list.scrollTop
  s.list.replaceChildren(...shown.map((card) => item(s, card)))
  const nothing = s.data.cards.length ? "No finding fits these filters." : "No reviewer found anything."
  if (!shown.length) s.list.append(el("p", "muted none", nothing))
  if (s.current) current(s, s.current, false)
  s.list.scrollTop = top
  if (focused) [...s.list.children].find((node) => node.dataset.key === focused)?.focus({ preventScroll: true })
}

export default function (component) {
  if (!component.data) return
  const s = instance(component, (made) => {
    made.chosen = { reviewer: null, check: null }
    made.chips = el("div", "chips")
    made.list = el("div", "list")
    made.root.replaceChildren(made.chips, made.list)
    listen(made, document, "areachair:selected", (event) => current(made, event.detail.key))
  })
  draw(s)
  if (!s.current) tell("which")
  return forget(component)
}
