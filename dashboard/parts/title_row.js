import { link, mounted } from "./shared.js"
import { listenNext, nextLink } from "./onward.js"

export default mounted((s) => {
  const { next, words, address } = s.data
  s.root.replaceChildren(next ? nextLink(next) : link("act strong", address, words))
}, listenNext)
