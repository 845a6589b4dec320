import { holdsSecret } from '../src/cli/secrets.ts'
import { el, show } from './dom.ts'
import { intake } from './intake.ts'
import { type Loaded, load } from './read.ts'
import { decodeView } from './views/decode.ts'
import { explainView } from './views/explain.ts'
import { generateView } from './views/generate.ts'
import { signView } from './views/sign.ts'
import { verifyView } from './views/verify.ts'
import { type Desk, VIEWS, type View, type ViewName } from './views/view.ts'

let loaded: Loaded | undefined
let current: ViewName = 'Decode'

/** Views that have not been told of the document, because they are not open. */
const stale = new Set<ViewName>()

const desk: Desk = {
  loaded: () => loaded,
  load: (text) => {
    loaded = text.trim() === '' ? undefined : load(text)
    // A secret is read for its addresses at most and does not stay in the page.
    if (holdsSecret(text)) source.clear()
    else source.set(text)
    // Keys were entered for the document before. What was generated stays until its reader forgets it.
    views.Sign.forget?.()
    for (const name of VIEWS) stale.add(name)
    refresh()
    if (loaded?.found?.kind === 'privateKey') {
      loaded.found.privateKey.fill(0)
      loaded = undefined
    }
  },
  open: (name) => openTab(name),
}

const source = intake({
  label: 'Transaction, UTXO, block, genesis data, address, ID or signing request',
  hint: 'Hex, cb58 or JSON. Nothing leaves this page: it cannot connect to anything.',
  action: 'Read',
  take: (text) => {
    desk.load(text)
    // Below the field, where it is seen in every view.
    if (loaded?.error !== undefined) throw loaded.error
  },
})

const views: { readonly [Name in ViewName]: View } = {
  Decode: decodeView(desk),
  Explain: explainView(desk),
  Sign: signView(desk),
  Generate: generateView(),
  Verify: verifyView(desk),
}

const tabs = VIEWS.map((name) =>
  el(
    'button',
    {
      type: 'button',
      role: 'tab',
      id: `tab-${name}`,
      'aria-controls': `panel-${name}`,
      onclick: () => openTab(name),
    },
    name,
  ),
)

const panels = VIEWS.map((name) =>
  el(
    'div',
    { role: 'tabpanel', id: `panel-${name}`, 'aria-labelledby': `tab-${name}`, tabindex: 0 },
    views[name].element,
  ),
)

const sourceSection = el(
  'section',
  { class: 'source screen-only', 'aria-label': 'document' },
  source.element,
)

function openTab(name: ViewName): void {
  VIEWS.forEach((other, i) => {
    const isOpen = other === name
    tabs[i]!.setAttribute('aria-selected', String(isOpen))
    tabs[i]!.tabIndex = isOpen ? 0 : -1
    panels[i]!.hidden = !isOpen
  })
  sourceSection.hidden = name === 'Generate'
  current = name
  refresh()
}

/** Tells the open view of the document, if it does not know it yet. */
function refresh(): void {
  if (stale.delete(current)) views[current].update?.(loaded)
}

/** Arrow keys move between tabs, as screen readers announce. */
function moveTab(event: Event): void {
  const at = tabs.indexOf(document.activeElement as HTMLButtonElement)
  const { key } = event as KeyboardEvent
  const to =
    key === 'ArrowRight'
      ? at + 1
      : key === 'ArrowLeft'
        ? at - 1
        : key === 'Home'
          ? 0
          : key === 'End'
            ? -1
            : undefined
  if (at === -1 || to === undefined) return
  event.preventDefault()
  const next = tabs.at(to % tabs.length)!
  openTab(VIEWS[tabs.indexOf(next)]!)
  next.focus()
}

function forgetSecrets(): void {
  for (const view of Object.values(views)) view.forget?.()
}

show(
  document.querySelector('main')!,
  el(
    'div',
    { role: 'tablist', 'aria-label': 'views', class: 'tabs screen-only', onkeydown: moveTab },
    ...tabs,
  ),
  sourceSection,
  ...panels,
)
openTab('Decode')
addEventListener('pagehide', forgetSecrets)
// A file that is dropped beside the field must not replace the page.
addEventListener('dragover', (event) => event.preventDefault())
addEventListener('drop', (event) => event.preventDefault())
