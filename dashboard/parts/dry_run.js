// What a run would meet: each command with its first failure; how the run gets there and what lies behind is folded. Each place
// leads to its line, each rule to the card that tells of the failure; the code view is asked first.
import { attr, button, el, focusedIn, mounted, plural, send, tell, titled } from "./shared.js"
import { signNode, summaryNode } from "./signs.js"
import { moreOf, prose } from "./prose.js"

const WORDS = { stops: "Stops at", may: "May stop at", clear: "no failure found", unknown: "not followed" }
const SIGNS_OF = { stops: "blocker", may: "major", clear: "passes", unknown: "unreached" }
const LISTED = 2
const LONG = 130

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
  return el("div", "by muted", "by ", ...places.flatMap((each, at) => [at ? ", then " : null, place(s, each)]))
}

const said = (s, entry) => {
  const node = el("div", "said wrap", entry.error ? el("b", "", `${entry.error}: `) : null, ...prose(entry.message))
  return entry.message.length > LONG ? moreOf(node, s.unfolded, entry.message) : node
}

const remember = (s, node, name) => {
  node.open = s.unfolded.has(name)
  node.addEventListener("toggle", () => s.unfolded[node.open ? "add" : "delete"](name))
  return node
}

// One line for what comes next; its message is read where the line leads.
const behindLine = (s, each) =>
  el("li", "behind", signNode(each.certain ? "blocker" : "major", each.certain ? "stops" : "may stop"), titled(el("span", "gist", "behind it: ", each.error ? `${each.error}: ` : "", ...prose(each.message)), each.message), place(s, each))

const laterEntry = (s, each) => el("li", "later", el("div", "at", each.certain ? null : el("span", "muted", "may stop at "), place(s, each), each.mode ? el("span", "muted", each.mode) : null, teller(s, each)), said(s, each), chain(s, each.chain))

// What one wants less often: how the run gets there, and the failures after those that are listed.
const restOf = (s, { command, first, behind, more }) => {
  const count = Math.max(0, behind.length - LISTED) + more
  const words = [first.chain.length ? `by ${plural(first.chain.length, "call")}` : "", count ? `${count} more after it` : ""].filter(Boolean).join(", ")
  if (!words) return [null, null]
  const later = behind.slice(LISTED).map((each) => laterEntry(s, each))
  if (more) later.push(el("li", "muted", `${more} more, listed in the JSON`))
  const rest = el("div", "rest", chain(s, first.chain), el("ul", "", ...later))
  const fold = button("fold", "rest", words, " ", signNode("fold", ""))
  const draw = () => {
    rest.hidden = !s.unfolded.has(command)
    fold.setAttribute("aria-expanded", String(!rest.hidden))
  }
  fold.addEventListener("click", () => {
    s.unfolded.delete(command) || s.unfolded.add(command)
    draw()
  })
  draw()
  return [fold, rest]
}

const firstPart = (s, command) => {
  const { first, state, behind } = command
  const about = [first.starts, first.mode].filter(Boolean).join(" · ")
  const [fold, rest] = restOf(s, command)
  const at = el("div", "at", el("span", state === "stops" ? "lead" : "muted", `${WORDS[state]} `), place(s, first), teller(s, first), about ? el("span", "muted", about) : null, fold)
  const next = el("ul", "", ...behind.slice(0, LISTED).map((each) => behindLine(s, each)))
  return rest ? [at, said(s, first), next, rest] : [at, said(s, first), next]
}

const latePart = (s, { first, state }) =>
  el("div", "late muted", "Not reached; then ", first.error ? el("b", "", first.error) : "stops", state === "may" ? " is possible" : "", " at ", place(s, first), " ", teller(s, first))

const row = (s, command) => {
  const { first, state } = command
  const late = first && !command.reached
  const node = el("li", "command", signNode(late ? "unreached" : SIGNS_OF[state], late ? "not reached" : WORDS[state]))
  const head = el("div", "head", titled(el("span", "line mono", command.command), command.command))
  if (!first) head.append(el("span", "muted words", state === "unknown" ? WORDS.unknown : command.words))
  const body = el("div", "body", head)
  if (first) body.append(...(late ? [latePart(s, command)] : firstPart(s, command)))
  node.append(body)
  return node
}

// What a run would meet with the repairs that are accepted, or with all of them.
const outlook = ({ waits, with: words, stops, message, questions }) => {
  if (waits) return el("div", "outlook", signNode("unreached", ""), el("span", "muted", waits))
  const sign = stops ? signNode("blocker", "stops") : questions ? signNode("person", "a choice is yours") : signNode("passes", "no failure")
  const told = stops ? ["as far as ", titled(el("span", "mono", stops.split("/").at(-1)), `${stops}: ${message}`)] : ["no failure"]
  const then = questions ? el("span", "muted", `, then ${plural(questions, "choice")} of yours`) : null
  return el("div", "outlook", sign, el("span", "wrap", el("span", "muted", `${words}: `), el("b", "", ...told), then))
}

export default mounted((s) => {
  const { summary, commands, limits } = s.data
  const focused = focusedIn(s)?.dataset.action
  const followed = commands.map((each) => each.words).find((words) => words && words !== "not followed")
  const top = el("div", "top", el("h2", "", "What a run would meet"), el("span", "muted", ["dry run", followed].filter(Boolean).join(", ")))
  const box = attr(el("section", "box", top), { "aria-label": "What a run would meet" })
  if (summary) box.append(el("p", "summary wrap", ...prose(`${summary[0].toUpperCase()}${summary.slice(1)}.`)))
  box.append(el("ol", "commands", ...commands.map((each) => row(s, each))))
  if (s.data.repaired) box.append(outlook(s.data.repaired))
  if (limits.length) {
    const fold = el("details", "limits", summaryNode("", `unknown: ${plural(limits.length, "thing")}`), el("ul", "", ...limits.map((line) => el("li", "wrap", ...prose(line)))))
    box.append(remember(s, fold, ""))
  }
  s.root.replaceChildren(box)
  if (focused) s.root.querySelector(`[data-action="${focused}"]`)?.focus({ preventScroll: true })
}, (made) => { made.unfolded = new Set() })
