import { el, link, mounted } from "./shared.js"

export default mounted((s) => {
  const { words, link: title, address, failed } = s.data
  s.root.classList.toggle("failed", failed)
  if (failed) s.root.setAttribute("role", "alert")
  s.root.replaceChildren(el("span", failed ? "" : "muted", words, " "), title ? link("to", address, title) : "")
})
