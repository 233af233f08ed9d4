import { mounted, navigate } from "./shared.js"

export default mounted((s) => {
  if (s.gone !== s.data.address) {
    s.gone = s.data.address
    navigate(s.data.address)
  }
})
