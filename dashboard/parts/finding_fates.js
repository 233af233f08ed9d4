// What became of a finding since an earlier attempt, as a badge; the sign says it without the colour.
import { el, titled } from "./shared.js"

export const FATES = { fixed: ["✓", "fixed"], dropped: ["·", "not repeated"], unchanged: ["=", "unchanged"], moved: ["→", "moved"], new: ["+", "new"], returned: ["↺", "came back"] }

export const fateBadge = ({ fate, was_at }) => {
  const [mark, words] = FATES[fate]
  const node = el("span", `fate is-${fate}`, mark, " ", words)
  return was_at ? titled(node, `Previously at ${was_at}`) : node
}
