// In which order this browser lists findings; the tabs hold the switch, the list follows it.
import { tell } from "./shared.js"

const ORDER = "areachair:findings-order"

/** @type {() => "weight" | "file"} */
export const orderNow = () => (localStorage.getItem(ORDER) === "file" ? "file" : "weight")

/** @type {(order: string) => void} */
export const setOrder = (order) => {
  localStorage.setItem(ORDER, order)
  tell("order")
}
