// Ticks live in the browser only; the button sends the names of those that are ticked, and says what they may cost together.
import { button, el, mounted, plural, send, titled, when } from "./shared.js"
import { reviewerMark, summaryNode } from "./signs.js"

const parts = (row) => {
  const list = row.parts.map(([title, tokens]) => el("div", "part", el("span", "", title), el("span", "amount", tokens)))
  return el("details", "parts", summaryNode("", "by part"), ...list)
}

const rowNode = (s, row) => {
  const box = el("input")
  box.type = "checkbox"
  box.checked = s.ticked.has(row.name)
  box.disabled = Boolean(row.problem)
  box.addEventListener("change", () => {
    if (box.checked) s.ticked.add(row.name)
    else s.ticked.delete(row.name)
    total(s)
  })
  const head = el("label", "head", box, reviewerMark({ mark: row.mark, reviewer: row.title }), el("b", "", row.title), el("span", "muted", row.model))
  const show = button("show", "prompt", "Show the prompt")
  show.addEventListener("click", () => send(s, { kind: "prompt", of: "list", name: row.name }))
  const read = titled(button("show", "read", "Read the claims"), "Uses it to translate every reviewer's claims into statements that areachair checks")
  read.disabled = Boolean(row.problem)
  read.addEventListener("click", () => {
    read.disabled = true
    send(s, { kind: "read", name: row.name })
  })
  const known = row.known && el("div", "known", `${row.known.words}, `, when(row.known.at), ". Asking again sends a new request.")
  const problem = row.problem && el("div", "problem wrap", row.problem)
  return el("section", `row${row.problem ? " off" : ""}`, head, el("div", "figures muted", [row.asked, row.size, row.cost].join(" · ")), problem, known,
            row.parts.length ? el("div", "more", parts(row), show, read) : null)
}

const dollars = (sum) => `$${sum.toFixed(sum < 10 ? 4 : 2)}`

const total = (s) => {
  const rows = s.data.rows.filter((row) => s.ticked.has(row.name) && !row.problem)
  const priced = rows.filter((row) => row.usd[1] !== null)
  const [least, most] = [0, 1].map((side) => priced.reduce((sum, row) => sum + row.usd[side], 0))
  const unknown = rows.length - priced.length
  const again = rows.length > 0 && rows.every((row) => row.known)
  s.ask.textContent = rows.length ? `${again ? "Ask again" : "Ask"} ${plural(rows.length, "reviewer")}` : "Ask"
  s.ask.disabled = !rows.length
  const known = priced.length ? `${dollars(least)}, at most ${dollars(most)}${unknown ? ", plus unknown costs" : ""}` : "cost unknown"
  const cost = rows.length ? known : ""
  const limit = s.data.budget_usd
  const over = limit !== null && most > limit
  const left = limit === null || !rows.length || !priced.length ? "" : over ? "what goes beyond it is not asked" : `${dollars(limit - most)} left at the least`
  s.sum.textContent = [cost, s.data.budget && `budget ${s.data.budget}`, left].filter(Boolean).join(" · ")
  s.sum.classList.toggle("over", over)
}

const brokenNode = (words) => el("div", "broken wrap", words)

export default mounted((s) => {
  const drawn = JSON.stringify(s.data.rows)
  if (s.drawn !== drawn) s.rows.replaceChildren(...s.data.rows.map((row) => rowNode(s, row)), ...s.data.broken.map(brokenNode))
  s.drawn = drawn
  total(s)
}, (made) => {
  made.ticked = new Set(made.data.rows.filter((row) => !row.problem && !row.known).map((row) => row.name))
  made.rows = el("div", "rows")
  made.ask = button("act strong", "ask")
  made.sum = el("span", "muted sum")
  made.ask.addEventListener("click", () => {
    const names = made.data.rows.filter((row) => made.ticked.has(row.name) && !row.problem).map((row) => row.name)
    made.ask.disabled = true
    send(made, { kind: "ask", names })
  })
  made.root.replaceChildren(made.rows, el("div", "foot", made.ask, made.sum))
})
