import { networkBadge } from 'avmkit/view'
import { announce, button, el, problem, put, statusLine } from './dom.ts'
import type { Session } from './session.ts'

/** A part of the wallet. `show` is called whenever it is opened. */
export type View = {
  readonly title: string
  readonly show: (place: HTMLElement, app: App) => void | Promise<void>
}

/** What views can do with the wallet around them. */
export type App = {
  readonly session: Session
  /** Opens a view by its name. */
  readonly open: (name: string) => void
  /** Locks the wallet, and starts again with the stored settings. */
  readonly lock: () => Promise<void>
  /** Opens the same wallet again, with changed settings. */
  readonly reopen: () => Promise<void>
}

/** Shows views by the fragment of the URL, so that links, bookmarks and the back button work. */
export function showWallet(
  root: Element,
  views: { readonly [name: string]: View },
  app: Omit<App, 'open'>,
): () => void {
  const [first] = Object.keys(views)
  const heading = el('h2', { tabindex: -1 })
  const place = el('div', { class: 'view' })
  const links = new Map(
    Object.entries(views).map(([name, { title }]) => {
      // The view that is open has no new fragment: it is drawn again.
      const onclick = () => {
        if (current() === name) void draw(true)
      }
      return [name, el('a', { href: `#${name}`, onclick }, title)]
    }),
  )
  const { networkID, name } = app.session.context
  const current = () => {
    const wanted = location.hash.slice(1)
    return Object.hasOwn(views, wanted) ? wanted : first!
  }
  const open = (view: string) => {
    if (current() === view) void draw(true)
    else location.hash = view
  }
  /** Views that are replaced while they load must not draw into the next one. */
  let turn = 0
  const again = () => void draw(false)
  const draw = async (isNew: boolean) => {
    const now = ++turn
    const selected = current()
    const { title, show } = views[selected]!
    for (const [view, link] of links)
      if (view === selected) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    heading.textContent = title
    document.title = `${title} · avmkit web wallet`
    const content = el('div', { 'aria-busy': 'true' }, el('p', { class: 'hint' }, 'Loading …'))
    put(place, content)
    if (isNew) heading.focus({ preventScroll: true })
    try {
      await show(content, { ...app, open })
    } catch (error) {
      if (now === turn)
        put(
          content,
          problem(error),
          button('Try again', () => again()),
        )
    }
    content.removeAttribute('aria-busy')
  }
  const onHash = () => {
    announce('')
    scrollTo(0, 0)
    void draw(true)
  }
  addEventListener('hashchange', onHash)
  put(
    root,
    el(
      'header',
      { class: 'top' },
      el('h1', {}, 'Wallet'),
      networkBadge({ name, networkID }),
      button('Lock', app.lock),
    ),
    el('nav', { class: 'tabs', 'aria-label': 'wallet' }, ...links.values()),
    el('main', {}, heading, place),
    statusLine(),
  )
  void draw(false)
  return () => removeEventListener('hashchange', onHash)
}

/** Shows a page outside of an open wallet. */
export function showPage(
  root: Element,
  title: string,
  ...content: readonly (Node | undefined)[]
): void {
  const heading = el('h2', { tabindex: -1 }, title)
  document.title = `${title} · avmkit web wallet`
  put(
    root,
    el('header', { class: 'top' }, el('h1', {}, 'Wallet')),
    el('main', {}, heading, ...content),
    statusLine(),
  )
  heading.focus({ preventScroll: true })
}
