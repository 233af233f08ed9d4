// Says that these are samples, how far their review is, and sets them aside.
import { attr, button, el, mounted, send } from "./shared.js"

const draw = (s) => {
  const { kept, reviewed } = s.data
  const said = reviewed === null
    ? `These ${kept} submissions are samples: three experiments over six weeks.`
    : `${kept} samples are being reviewed: ${reviewed} of ${kept}.`
  const away = button("away", "aside", "Set them aside")
  away.title = "Hides them on every page; Settings, Data shows them again"
  away.addEventListener("click", () => {
    away.disabled = true
    send(s, { kind: "aside" })
  })
  s.root.replaceChildren(attr(el("span", "said", said), { role: "status" }), away)
}

export default mounted(draw)
