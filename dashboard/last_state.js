// A reload shows the last state at once: what was in sight is kept as texts and boxes when the page is left, and drawn by the next
// load of the same address until the live page is there. A picture alone: nobody can click, read aloud or search it. It is drawn
// through the DOM, and only text, numbers and colours of it are taken.
(() => {
  const KEY = "areachair_last_state", LONGEST_AWAY = 30_000, MOST = 1500, MOST_TEXT = 400
  const FONT = ["color", "fontFamily", "fontSize", "fontStyle", "fontWeight", "letterSpacing", "lineHeight", "textTransform"]
  const SIDES = ["Top", "Right", "Bottom", "Left"]
  const root = document.documentElement

  const within = (one, other) => ({
    left: Math.max(one.left, other.left), top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right), bottom: Math.min(one.bottom, other.bottom),
  })
  const isSeen = (box) => box.right - box.left > 1 && box.bottom - box.top > 1
  const place = (box, clip) => ({
    at: [box.left, box.top, box.right - box.left, box.bottom - box.top].map(Math.round),
    cut: [clip.top - box.top, box.right - clip.right, box.bottom - clip.bottom, clip.left - box.left].map((by) => Math.max(0, Math.round(by))),
  })

  // White space at its ends has no width of its own, and a line's box is lower than the line.
  const textPiece = (node, style, clip) => {
    const text = node.data.trim()
    if (!text) return null
    const range = document.createRange(), from = node.data.indexOf(text)
    range.setStart(node, from)
    range.setEnd(node, from + text.length)
    const box = range.getBoundingClientRect(), [first] = range.getClientRects()
    if (!first || !isSeen(within(box, clip))) return null
    const above = Math.max(0, (parseFloat(style.lineHeight) - first.height) / 2 || 0)
    const lines = { left: box.left, right: box.right, top: box.top - above, bottom: box.bottom + above }
    const font = Object.fromEntries(FONT.map((name) => [name, style[name]]))
    return { ...place(lines, clip), text: text.slice(0, MOST_TEXT), indent: Math.round(first.left - box.left), pre: style.whiteSpace, font }
  }

  const boxPiece = (style, box, clip) => {
    const lines = SIDES.map((side) => parseFloat(style[`border${side}Width`]) || 0)
    const filled = style.backgroundColor !== "rgba(0, 0, 0, 0)"
    if (!filled && lines.every((line) => !line)) return null
    return { ...place(box, clip), fill: style.backgroundColor, lines, edges: SIDES.map((side) => style[`border${side}Color`]), round: style.borderRadius }
  }

  const walk = (node, clip, pieces, style) => {
    if (pieces.length >= MOST) return
    if (node.nodeType === Node.TEXT_NODE) return void pieces.push(...[textPiece(node, style, clip)].filter(Boolean))
    if (!(node instanceof Element) || node.id === "ghost") return
    const own = getComputedStyle(node), box = node.getBoundingClientRect()
    // What has no box of its own is not "visible", but its children may be.
    if (own.display !== "contents" && !node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return
    pieces.push(...(isSeen(within(box, clip)) ? [boxPiece(own, box, clip)] : []).filter(Boolean))
    const inner = own.overflowX === "visible" && own.overflowY === "visible" || own.display === "contents" ? clip : within(box, clip)
    if (isSeen(inner)) for (const child of (node.shadowRoot ?? node).childNodes) walk(child, inner, pieces, own)
  }

  const keep = () => {
    if (root.classList.contains("veiled")) return
    const pieces = []
    walk(document.body, { left: 0, top: 0, right: innerWidth, bottom: innerHeight }, pieces)
    sessionStorage.setItem(KEY, JSON.stringify({ at: Date.now(), address: location.href, size: [innerWidth, innerHeight], pieces }))
  }

  const px = (number) => `${Number(number)}px`

  const drawn = ({ at: [left, top, width, height], cut, text, indent, pre, font, fill, lines, edges, round }) => {
    const node = document.createElement("div")
    Object.assign(node.style, { position: "absolute", boxSizing: "border-box", left: px(left), top: px(top), height: px(height) })
    if (cut.some(Boolean)) node.style.clipPath = `inset(${cut.map(px).join(" ")})`
    if (text === undefined) {
      Object.assign(node.style, { width: px(width), backgroundColor: fill, borderStyle: "solid", borderRadius: round })
      Object.assign(node.style, { borderWidth: lines.map(px).join(" "), borderColor: edges.join(" ") })
    } else Object.assign(node.style, { width: px(width + 1), whiteSpace: pre, textIndent: px(indent), overflowWrap: "anywhere" }, font)
    node.textContent = text ?? ""
    return node
  }

  const show = ({ pieces }) => {
    const host = document.createElement("div")
    host.id = "last-state"
    host.setAttribute("aria-hidden", "true")
    host.inert = true
    Object.assign(host.style, { position: "fixed", inset: "0", zIndex: "1000", pointerEvents: "none", background: "Canvas", overflow: "hidden" })
    host.attachShadow({ mode: "closed" }).append(...pieces.map(drawn))
    root.append(host)
    host.dataset.pieces = String(pieces.length)
    const gone = new MutationObserver(() => root.classList.contains("veiled") || (gone.disconnect(), host.remove()))
    gone.observe(root, { attributes: true, attributeFilter: ["class"] })
  }

  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null")
    sessionStorage.removeItem(KEY)
    const [way] = performance.getEntriesByType("navigation")
    const isSame = kept?.address === location.href && `${kept.size}` === `${[innerWidth, innerHeight]}` && Date.now() - kept.at < LONGEST_AWAY
    if (isSame && /** @type {PerformanceNavigationTiming} */ (way)?.type === "reload") show(kept)
  } catch { /* without a picture the page comes as at first */ }
  addEventListener("pagehide", () => { try { keep() } catch { /* the same */ } })
})()
