import { el, link, mounted } from "./shared.js"

const wayNode = ({ words, href, count, more }) =>
  el("li", count ? "" : "muted", link("way", href, words), el("span", "amount muted", `${count.toLocaleString()}${more ? "+" : ""} ${count === 1 ? "submission" : "submissions"}`))

export default mounted((s) => {
  const { words, about, ways } = s.data
  s.root.replaceChildren(el("b", "", words), el("p", "muted", about), ...(ways.length ? [el("ul", "", ...ways.map(wayNode))] : []))
})
