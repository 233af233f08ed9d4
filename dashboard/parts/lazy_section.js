// Says once, when what was drawn so far is on the screen and the browser has nothing better to do.
import { forget, instance } from "./shared.js"

const rested = window.requestIdleCallback ?? ((done) => setTimeout(done, 60))

export default function (component) {
  const s = instance(component)
  if (!s.said && !component.data?.shown) {
    s.said = true
    requestAnimationFrame(() => rested(() => s.api.setStateValue("shown", true), { timeout: 400 }))
  }
  return forget(component)
}
