// The forms of cards and repairs: how they are saved and closed, and the one that asks for a reason.
import { attr, button, el, formKeys, withControl } from "./shared.js"

export const submitOf = (words) => Object.assign(el("button", "act strong", words, el("kbd", "", "Enter")), { type: "submit" })

export const cancelOf = (words = "Cancel") => button("act", "cancel", words, el("kbd", "", "Esc"))

// Every form of the code is saved by its submit button and closed by its other one.
export const asForm = (form, other) => {
  formKeys(form, { save: () => form.requestSubmit(), close: () => form.querySelector("[data-action=cancel]").click(), other })
  return form
}

const pressReason = (form, wanted) => {
  for (const chip of form.querySelectorAll(".reason")) chip.setAttribute("aria-pressed", String(chip === wanted && chip.ariaPressed !== "true"))
  form.querySelector(".note").textContent = ""
  form.elements.words.focus({ preventScroll: true })
}

// A digit presses its reason while no text is there, and with Alt at any time; Backspace takes the reason back.
const reasonKey = (form, event) => {
  const chips = [...form.querySelectorAll(".reason")]
  const words = form.elements.words
  const empty = event.target === words && !words.value && !withControl(event)
  // With Alt a key gives other signs on some keyboards, and AltGr is for these.
  const alt = event.altKey && !event.ctrlKey && !event.getModifierState("AltGraph")
  const digit = alt ? /^Digit(\d)$/.exec(event.code)?.[1] : empty && event.key
  const wanted = event.key === "Backspace" && empty ? chips.find((chip) => chip.ariaPressed === "true") : chips[digit - 1]
  if (wanted) pressReason(form, wanted)
  return Boolean(wanted)
}

// What is kept: the reason that was chosen, and the person's own words.
export const dismissalOf = (form) => [form.querySelector(".reason[aria-pressed=true]")?.dataset.words, form.elements.words.value.trim()].filter(Boolean).join(": ")

// The same once more, after what else was typed meanwhile.
export const fillForm = (form, said) => {
  const [chip] = [...form.querySelectorAll(".reason")].filter(({ dataset }) => `${said}: `.startsWith(`${dataset.words}: `))
  const { words } = form.elements
  if (chip) chip.ariaPressed = "true"
  words.value = [chip ? said.slice(chip.dataset.words.length + 2) : said, words.value].filter(Boolean).join(words.tagName === "TEXTAREA" ? "\n" : " ")
  words.focus({ preventScroll: true })
}

// Asks for a reason: one of a closed list, the person's own words, or both.
export const reasonForm = (cls, reasons, submit, asks) => {
  const words = Object.assign(el("input"), { name: "words", placeholder: `Why? Your words, or 1 to ${reasons.length}`, maxLength: 500, autocomplete: "off" })
  words.setAttribute("aria-label", asks)
  const chips = reasons.map((reason, at) => {
    const chip = button("reason", "reason", el("kbd", "", String(at + 1)), reason)
    chip.dataset.words = reason
    chip.ariaPressed = "false"
    chip.setAttribute("aria-keyshortcuts", `Alt+${at + 1}`)
    return chip
  })
  const note = attr(el("span", "note"), { role: "status" })
  const form = el("form", cls, words, submitOf(submit), cancelOf(), el("div", "reasons", ...chips), note)
  for (const chip of chips) chip.addEventListener("click", () => pressReason(form, chip))
  return asForm(form, (event) => reasonKey(form, event))
}
