import { el, mounted } from "./shared.js"
import { summaryNode } from "./signs.js"

const messageNode = (message, open) => {
  const text = el("pre", "mono wrap", message.text)
  const cut = message.cut ? el("p", "muted", `${message.cut.toLocaleString("en")} more characters are sent but not shown here.`) : null
  const node = el("details", "message", summaryNode("", message.role), text, cut)
  node.open = open
  return node
}

const promptNode = (prompt) => {
  const list = prompt.parts.map(([title, tokens]) => el("div", "part", el("span", "", title), el("span", "amount", tokens)))
  const parts = el("details", "parts", summaryNode("", "Tokens by part"), ...list)
  return el("section", "prompt", el("h2", "", prompt.title), parts, ...prompt.messages.map((message) => messageNode(message, true)))
}

export default mounted((s) => {
  s.root.replaceChildren(...s.data.prompts.map(promptNode))
})
