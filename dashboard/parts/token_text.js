import { el } from "./shared.js"

// A line of code as Python sends it: class, text, class, text.
export const tokenText = (tokens) => {
  const code = el("span", "text")
  for (let i = 0; i < tokens.length; i += 2) code.append(tokens[i] ? el("span", tokens[i], tokens[i + 1]) : tokens[i + 1])
  return code
}
