import { forget, instance, navigate } from "./shared.js"

export default function (component) {
  if (!component.data) return
  const s = instance(component)
  if (s.gone !== component.data.address) {
    s.gone = component.data.address
    navigate(component.data.address)
  }
  return forget(component)
}
