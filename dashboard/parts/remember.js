export default function ({ data }) {
  if (data) document.cookie = `${data.cookie}=${encodeURIComponent(data.value)}; path=/; max-age=31536000; samesite=lax`
}
