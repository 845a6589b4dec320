import { holdsSecret } from '../inspect/secrets.ts'
import { el, setChildren } from './dom.ts'
import { forbidLeaving } from './forbid-leaving.ts'
import { intake } from './intake.ts'
import { type Loaded, loadText } from './read.ts'
import { decodeView } from './views/decode.ts'
import { explainView } from './views/explain.ts'
import { generateView } from './views/generate.ts'
import { signView } from './views/sign.ts'
import { verifyView } from './views/verify.ts'
import { VIEWS, type View, type ViewHost, type ViewName } from './views/view.ts'

let loaded: Loaded | undefined
let current: ViewName = 'Decode'

/** Views that do not show the current document yet; they are updated when they are opened. */
const stale = new Set<ViewName>()

const host: ViewHost = {
  loaded: () => loaded,
  load: (text) => {
    loaded = text.trim() === '' ? undefined : loadText(text)
    // Of a secret at most the addresses are shown; the text is removed from the page.
    if (holdsSecret(text)) source.clear()
    else source.set(text)
    // The keys were entered for the previous document. Generated secrets stay until the user discards them.
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
    host.load(text)
    // Shown below the field, which all views share.
    if (loaded?.error !== undefined) throw loaded.error
  },
})

const views: { readonly [Name in ViewName]: View } = {
  Decode: decodeView(host),
  Explain: explainView(host),
  Sign: signView(host),
  Generate: generateView(),
  Verify: verifyView(host),
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

/** Updates the open view if it does not show the current document yet. */
function refresh(): void {
  if (stale.delete(current)) views[current].update?.(loaded)
}

/** Moves between tabs with the arrow keys, as the ARIA pattern for tabs requires. */
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

setChildren(
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
forbidLeaving()
addEventListener('pagehide', forgetSecrets)
// A file that is dropped beside the field must not replace the page.
addEventListener('dragover', (event) => event.preventDefault())
addEventListener('drop', (event) => event.preventDefault())
