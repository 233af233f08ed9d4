// Streamlit tells the theme's colours to components only; what stays in sight while the page scrolls under it needs its ground.
export default function ({ parentElement }) {
  const ground = getComputedStyle(parentElement).getPropertyValue("--st-background-color")
  document.documentElement.style.setProperty("--page", ground)
}
