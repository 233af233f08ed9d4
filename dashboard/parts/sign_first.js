// A record that Python has in hand goes through the browser once more, which asks who signs it (shared.js).
import { mounted, send } from "./shared.js"

export default mounted((s) => {
  const { turn } = s.data
  if (s.turn !== turn) send(s, { kind: "relate", turn })
  s.turn = turn
})
