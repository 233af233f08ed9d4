// Who had said what then happened, and in which findings; a click on one goes to it.
const MARKS = { predicted: "✓", missed: "✗", "not-reachable": "–" }

const fateLine = ({ reviewer, fate, words, findings, more }, go) => {
  const node = el("li", "", el("span", `said-${fate}`, MARKS[fate], " ", words), " ", el("b", "", reviewer))
  for (const { file, key, gist } of findings) {
    const told = titled(button("foretold", "foretold", gist), gist)
    told.addEventListener("click", () => go({ file, key }))
    node.append(told)
  }
  if (more) node.append(el("span", "muted", `and ${more} more`))
  return node
}

const fateLines = (fates, go) => {
  const list = el("ul", "fates", ...fates.map((fate) => fateLine(fate, go)))
  list.setAttribute("aria-label", "Predicted by")
  return list
}

// In the code view: under what the card says.
const drawFates = (s) => {
  for (const card of s.data.cards) {
    const node = card.kind === "outcome" && card.fates.length ? s.cards.get(card.key) : null
    if (node && !node.querySelector(".fates")) node.append(fateLines(card.fates, ({ file, key }) => tell("show", { file, key }) || openFile(s, { file, key })))
  }
}
