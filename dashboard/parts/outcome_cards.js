// Who had said what then happened, and in which findings; a click on one goes to it.
import { attr, button, el, titled } from "./shared.js"
import { reviewerMark } from "./signs.js"

const fateLine = ({ reviewer, mark, fate, words, findings, more }, go) => {
  const node = el("li", "", reviewerMark({ mark, reviewer }), " ", el("b", "", reviewer), " ", el("span", `said-${fate}`, words))
  for (const { file, key, gist } of findings) {
    const told = titled(button("foretold", "foretold", gist), gist)
    told.addEventListener("click", () => go({ file, key }))
    node.append(told)
  }
  if (more) node.append(el("span", "muted", `and ${more} more`))
  return node
}

export const fateLines = (fates, go) => {
  const list = attr(el("ul", "fates", ...fates.map((fate) => fateLine(fate, go))), { "aria-label": "Predicted by" })
  return list
}
