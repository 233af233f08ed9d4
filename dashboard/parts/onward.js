// The loud way to the next submission to decide, and its key.
import { el, link, listen, navigate, plainKey } from "./shared.js"

/** @type {(address: string) => HTMLElement} */
export const nextLink = (address) => link("act strong", address, "Review next", el("kbd", "", "n"))

/** @type {(s: State) => void} */
export const listenNext = (s) => listen(s, window, "keydown", (event) => {
  if (!plainKey(event) || event.key !== "n" || !s.data.next) return
  event.preventDefault()
  navigate(s.data.next)
}, true)
