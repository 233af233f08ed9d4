// Who had said what then happened, and in which findings; a click on one goes to it.
import { button, el, titled } from "./shared.js"

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

export const fateLines = (fates, go) => {
  const list = el("ul", "fates", ...fates.map((fate) => fateLine(fate, go)))
  list.setAttribute("aria-label", "Predicted by")
  return list
}
