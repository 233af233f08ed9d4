// A page at which nobody works asks nothing: only coming back to it, or working on, counts as a look.
import { listen, mounted, send } from "./shared.js"

const REST = 10000

const look = (s, least) => {
  if (document.visibilityState !== "visible" || Date.now() - s.last < least) return
  s.last = Date.now()
  // Streamlit sends what changes at one moment as one message for one fragment: a click that came along would draw nothing.
  setTimeout(() => send(s, { kind: "look" }), 400)
}

export default mounted(() => undefined, (made) => {
  made.last = Date.now()
  listen(made, window, "focus", () => look(made, 0))
  listen(made, document, "visibilitychange", () => look(made, 0))
  for (const sign of ["pointermove", "wheel", "keydown"]) listen(made, window, sign, () => look(made, REST), true)
})
