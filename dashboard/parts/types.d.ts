// What every component's script shares. `data` is what the component's Python sends, so its shape is
// not declared a second time here.
type Child = Node | string | number | false | null | undefined

/** What Streamlit hands to a component, again at each change of `data`. */
interface Component {
  data: any
  parentElement: HTMLElement | ShadowRoot
  setStateValue: (name: string, value: unknown) => void
}

/** An event on its way to Python; `seq` is its number on this mount. */
interface Sent {
  kind?: string
  action?: string
  seq?: number
  signed?: string
  [field: string]: any
}

type Back = (event: Sent) => void

/** What one mounted component keeps between calls; each adds fields of its own. */
interface State {
  root: HTMLElement
  mount: string
  seq: number
  queue: Sent[]
  records: Map<Sent, Back | undefined>
  unlisten: (() => void)[]
  data: any
  api: Component
  overdue?: number
  server?: string
  asking?: boolean
  restate?: () => void
  near?: (event?: Sent) => Element | null | undefined
  [field: string]: any
}

interface Window {
  /** Keys that came between two submissions; one list for all scripts of the page. */
  areachairHeld: string[]
  /** Whether a script sees to a page that is connected again. */
  areachairWatched?: boolean
}

// The parts hold HTML and no other markup.
interface ParentNode {
  querySelector(selectors: string): HTMLElement | null
  querySelectorAll(selectors: string): NodeListOf<HTMLElement>
}

interface Element {
  closest(selectors: string): HTMLElement | null
}

interface HTMLElement {
  /** The findings that a line of a list or of a matrix stands for. */
  keys?: string[]
}
