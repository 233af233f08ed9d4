// A record that Python has in hand goes through the browser once more, which asks who signs it (shared.js).
import { forget, instance, send } from "./shared.js"

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  const { turn } = component.data
  if (s.turn !== turn) send(s, { kind: "relate", turn })
  s.turn = turn
  return forget(component)
}
