// Each place leads to its line, each rule to the card that tells of the failure; the code view is asked first.
import { button, el, focusedIn, mounted, plural, send, tell, titled } from "./shared.js"

const WORDS = { stops: "Stops at", may: "May stop at", clear: "no failure found", unknown: "not followed" }

const go = (s, wish) => { if (!tell("show", wish)) send(s, { kind: "open", ...wish }) }

const place = (s, { file, line, place: words }) => {
  const node = titled(button("place mono", "line", words.split("/").at(-1)), words)
  node.addEventListener("click", () => go(s, line ? { file, line } : { file, card: "first" }))
  return node
}

const teller = (s, { finding, key, rule }) => {
  if (!key) return null
  const node = titled(button("rule mono", "finding", rule), "Show the finding")
  node.addEventListener("click", () => go(s, { file: finding, key }))
  return node
}

const chain = (s, places) => {
  if (!places.length) return null
  return el("div", "by muted", "by ", ...places.flatMap((each, at) => [at ? " → " : null, place(s, each)]))
}

const said = (entry) => el("div", "said wrap", entry.error ? el("b", "", `${entry.error}: `) : null, entry.message)

const remember = (s, node, name) => {
  node.open = s.unfolded.has(name)
  node.addEventListener("toggle", () => s.unfolded[node.open ? "add" : "delete"](name))
  return node
}

const behindOf = (s, command) => {
  if (!command.behind.length) return null
  const count = command.behind.length + command.more
  const list = command.behind.map((each) => el("li", each.certain ? "" : "unsure", el("div", "at", each.certain ? null : el("span", "muted", "may stop at "), place(s, each), each.mode ? el("span", "muted", each.mode) : null, teller(s, each)), said(each), chain(s, each.chain)))
  if (command.more) list.push(el("li", "muted", `${command.more} more, listed in the JSON`))
  return remember(s, el("details", "behind", el("summary", "", `${count} more after it`), el("ul", "", ...list)), command.command)
}

const row = (s, command) => {
  const { first, state } = command
  const mark = titled(el("span", `mark ${first && !command.reached ? "late" : state}`), WORDS[state])
  const node = el("li", "command", mark)
  const head = el("div", "head", titled(el("span", "line mono", command.command), command.command))
  const words = first ? command.words : [command.words, WORDS[state]].filter(Boolean).join(" · ")
  if (state === "unknown" || !first) head.append(el("span", "muted words", state === "unknown" ? WORDS.unknown : words))
  const body = el("div", "body", head)
  if (first) {
    const lead = command.reached ? WORDS[state] : `Not reached; then ${state === "may" ? "may stop" : "stops"} at`
    const about = [first.starts, first.mode].filter(Boolean).join(" · ")
    body.append(el("div", "at", el("span", command.reached && state === "stops" ? "lead" : "muted", `${lead} `), place(s, first), teller(s, first), about ? el("span", "muted", about) : null), said(first))
    for (const part of [chain(s, first.chain), behindOf(s, command)]) if (part) body.append(part)
  }
  node.append(body)
  return node
}

export default mounted((s) => {
  const { summary, commands, limits } = s.data
  const focused = focusedIn(s)?.dataset.action
  const title = el("h2", "", "Dry run")
  const followed = commands.map((each) => each.words).find((words) => words && words !== "not followed")
  const box = el("section", "box", el("div", "top", title, followed ? el("span", "muted", followed) : ""))
  box.setAttribute("aria-label", "Dry run")
  if (summary) box.append(el("p", "summary wrap", `${summary[0].toUpperCase()}${summary.slice(1)}.`))
  box.append(el("ol", "commands", ...commands.map((each) => row(s, each))))
  if (limits.length === 1) box.append(el("p", "limits muted wrap", `Unknown: ${limits[0]}`))
  if (limits.length > 1) {
    const fold = el("details", "limits", el("summary", "", `unknown: ${plural(limits.length, "thing")}`), el("ul", "", ...limits.map((line) => el("li", "wrap", line))))
    box.append(remember(s, fold, ""))
  }
  s.root.replaceChildren(box)
  if (focused) s.root.querySelector(`[data-action="${focused}"]`)?.focus({ preventScroll: true })
}, (made) => { made.unfolded = new Set() })
