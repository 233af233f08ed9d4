import { button, el, mounted, tell, titled, verdictBadge } from "./shared.js"

export default mounted((s) => {
  const { agreement, verdict, words, because } = s.data
  const head = el("div", "head", titled(el("b", "", agreement), agreement))
  if (verdict) {
    const take = titled(button("act", "take", "Adopt"), "Fills in the verdict below, and the reason if it is empty; nothing is saved yet")
    take.addEventListener("click", () => tell("take", { verdict, reason: because }))
    head.append(take)
  }
  const badge = verdict && titled(verdictBadge(verdict, words), "Consensus of the reviews; a person decides")
  s.root.replaceChildren(head, titled(el("div", "because muted", badge, badge ? " " : "", because), because))
})
