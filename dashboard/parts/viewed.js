// Which files of a submission this person has looked through; the browser remembers it for the last hundreds of submissions.
import { tell } from "./shared.js"

const VIEWED = "areachair:viewed"
const MOST_KEPT = 500

const everything = () => {
  try {
    return JSON.parse(localStorage.getItem(VIEWED) ?? "{}")
  } catch {
    return {}
  }
}

/** @type {(of: string) => Set<string>} */
export const viewedFiles = (of) => new Set(everything()[of])

/** @type {(of: string, path: string) => void} */
export const switchViewed = (of, path) => {
  const { [of]: mine = [], ...others } = everything()
  const now = mine.includes(path) ? mine.filter((one) => one !== path) : [...mine, path]
  const kept = Object.entries(others).slice(-MOST_KEPT)
  localStorage.setItem(VIEWED, JSON.stringify(Object.fromEntries(now.length ? [...kept, [of, now]] : kept)))
  tell("viewed")
}
