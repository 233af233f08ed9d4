const column = (data) => {
  const node = el("section", "column")
  const head = el("div", "top", el("b", "reviewer", data.reviewer), verdictBadge(data.verdict, data.words))
  const figures = el("div", "figures", checkCounts(data.counts))
  const missed = titled(el("span", "missed", `${data.missed} missed`), "Confirmed blockers that no claim of this reviewer names")
  if (data.missed) figures.append(missed)
  node.append(head, titled(el("div", "model muted", data.model), data.model), figures)
  const took = el("div", "took muted", data.took, " · ", when(data.at))
  node.append(titled(took, "Time and cost of this review, where known, and when it was kept"))
  if (data.failure) node.append(el("div", "failure wrap", data.failure))
  const raw = el("pre", "mono wrap", data.raw, data.raw_cut ? "\n…" : "")
  if (data.raw) node.append(el("details", "raw", el("summary", "", "Answer as it came"), raw))
  if (!data.failure && data.beginning) node.append(titled(el("div", "beginning", data.beginning), data.beginning))
  return node
}

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  s.root.replaceChildren(...component.data.columns.map(column))
  if (!component.data.columns.length) s.root.append(el("p", "muted", "Nobody has reviewed this submission yet."))
  return forget(component)
}
