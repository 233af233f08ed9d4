export default function ({ data }) {
  if (data?.now) window.location.reload()
}
