const DRAFTS = "areachair:drafts"
// A draft is kept for each submission, for who goes on with `n` and comes back, or reloads. One that
// was to be a decision, and got no name, is marked `unsaved`, with the name of its submission.
export const drafts = () => {
  try {
    return JSON.parse(sessionStorage.getItem(DRAFTS) ?? "{}")
  } catch {
    return {}
  }
}

export const setDraft = (id, draft) => {
  const { [id]: _, ...others } = drafts()
  try {
    sessionStorage.setItem(DRAFTS, JSON.stringify(draft ? { ...others, [id]: draft } : others))
  } catch {
    // Without it a draft lasts as long as the page.
  }
}
