// What became of a finding since an earlier attempt, in a word; Python counts them under the same (finding_fates.py).
import { el, titled } from "./shared.js"

export const FATES = { fixed: "fixed", dropped: "gone", unchanged: "stayed", moved: "moved", new: "came", returned: "came back" }

export const fateWords = ({ fate, was_at }) => {
  const node = el("span", `fate is-${fate}`, FATES[fate])
  return was_at ? titled(node, `Previously at ${was_at}`) : node
}
