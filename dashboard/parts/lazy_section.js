// Says once, when what was drawn so far is on the screen and the browser has nothing better to do.
import { mounted } from "./shared.js"

const rested = window.requestIdleCallback ?? ((done) => setTimeout(done, 60))

export default mounted((s) => {
  if (s.said || s.data.shown) return
  s.said = true
  requestAnimationFrame(() => rested(() => s.api.setStateValue("shown", true), { timeout: 400 }))
})
