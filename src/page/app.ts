import { isTx } from '../inspect/explain.ts'
import type { RequestKeys } from '../inspect/key-text.ts'
import { readerWith } from '../inspect/request-keys.ts'
import { el, setChildren } from './dom.ts'
import { explanationOf, now } from './explain.ts'
import { type Loaded, loadText } from './read.ts'
import { STEPS, stepStates } from './steps.ts'
import { mayBeSecret } from './typed-secret.ts'
import { checkView } from './views/check.ts'
import { decodeView, kindOf } from './views/decode.ts'
import { generateView } from './views/generate.ts'
import { keyView } from './views/key.ts'
import { loadView } from './views/load.ts'
import { receiveView } from './views/receive.ts'
import { signView } from './views/sign.ts'
import { takeAwayView } from './views/take-away.ts'
import { verifyView } from './views/verify.ts'
import { TOOLS, type View, type ViewHost, type ViewName } from './views/view.ts'

const VIEWS: readonly ViewName[] = [...STEPS, ...TOOLS]

/** Views that do not concern the loaded document. */
const WITHOUT_DOCUMENT: readonly ViewName[] = ['Load', 'Generate', 'Receive']

/** Builds the page. */
export function startPage(): void {
  let loaded: Loaded | undefined
  let keys: RequestKeys | undefined
  let unaccepted = 0
  let isSigned = false
  let current: ViewName = 'Load'
  /** Views that do not show the current document and keys yet; they are updated when they are opened. */
  const stale = new Set(VIEWS)

  const request = () => (loaded?.found?.kind === 'request' ? loaded.found.request : undefined)
  const forgetKeys = () => {
    keys?.keys.wipe()
    keys = undefined
    unaccepted = 0
  }
  const changed = () => {
    for (const name of VIEWS) stale.add(name)
  }
  const host: ViewHost = {
    loaded: () => loaded,
    request,
    keys: () => keys,
    explanation: () =>
      loaded && explanationOf(loaded, { now: now(), ours: keys && readerWith(keys) }),
    progress: () => ({
      document: documentOf(loaded),
      hasKeys: keys !== undefined,
      unaccepted,
      isSigned,
    }),
    load: (text) => {
      loaded = text.trim() === '' ? undefined : loadText(text)
      isSigned = false
      // The keys were entered for the previous document. Generated secrets stay until the user discards them.
      forgetKeys()
      changed()
      if (mayBeSecret(text)) loadStep.clear()
      const document = documentOf(loaded)
      open(document === 'none' ? 'Load' : document === 'other' ? 'Decode' : 'Check')
      if (loaded?.found?.kind !== 'privateKey') return
      // Of a secret at most the addresses are shown.
      loaded.found.privateKey.fill(0)
      loaded = undefined
      drawSteps()
    },
    replace: (text, signed) => {
      loaded = loadText(text)
      isSigned ||= signed
      forgetKeys()
      changed()
      loadStep.set(text)
      open('Take away')
    },
    useKeys: (next) => {
      forgetKeys()
      keys = next
      changed()
      stale.delete('Key')
      drawSteps()
    },
    setUnaccepted: (count) => {
      unaccepted = count
    },
    open: (name) => open(name),
  }

  const loadStep = loadView(host)
  const views: { readonly [Name in ViewName]: View } = {
    Load: loadStep,
    Check: checkView(host),
    Key: keyView(host),
    Sign: signView(host),
    'Take away': takeAwayView(host),
    Decode: decodeView(host),
    Verify: verifyView(host),
    Generate: generateView(),
    Receive: receiveView(),
  }
  const navigation = (name: ViewName) =>
    el('button', { type: 'button', onclick: () => open(name) }, name)
  const buttons = new Map(VIEWS.map((name) => [name, navigation(name)]))
  const headings = new Map(VIEWS.map((name) => [name, el('h2', { tabindex: -1 }, TITLES[name])]))
  const panels = new Map(
    VIEWS.map((name) => [
      name,
      el(
        'section',
        { id: `panel-${name.replace(' ', '-')}`, class: 'panel', 'aria-label': name },
        headings.get(name),
        views[name].element,
      ),
    ]),
  )
  const documentBar = el('div', { class: 'document screen-only' })

  const drawSteps = () => {
    const states = stepStates(host.progress())
    for (const step of STEPS) {
      const item = buttons.get(step)!
      item.disabled = !states[step].isOpen
      item.classList.toggle('done', states[step].isDone)
    }
    for (const name of VIEWS)
      if (name === current) buttons.get(name)!.setAttribute('aria-current', 'step')
      else buttons.get(name)!.removeAttribute('aria-current')
    const kind = loaded === undefined ? undefined : kindOf(loaded)
    const isShown = kind !== undefined && !WITHOUT_DOCUMENT.includes(current)
    setChildren(documentBar, ...(isShown ? kind : []))
    documentBar.hidden = !isShown
  }
  function open(name: ViewName): void {
    const isNew = current !== name
    current = name
    if (stale.delete(name)) views[name].update?.()
    for (const [other, panel] of panels) panel.hidden = other !== name
    drawSteps()
    // The button that was pressed may be gone, and the reader continues at the top of the new view.
    if (!isNew) return
    headings.get(name)!.focus({ preventScroll: true })
    scrollTo(0, 0)
  }

  setChildren(
    document.querySelector('main')!,
    el(
      'nav',
      { class: 'steps screen-only', 'aria-label': 'steps' },
      el('ol', {}, ...STEPS.map((name) => el('li', {}, buttons.get(name)))),
    ),
    documentBar,
    ...panels.values(),
    el(
      'nav',
      { class: 'tools screen-only', 'aria-label': 'tools' },
      el('span', {}, 'Tools'),
      ...TOOLS.map((name) => buttons.get(name)),
    ),
  )
  for (const [name, panel] of panels) panel.hidden = name !== current
  drawSteps()
  addEventListener('pagehide', () => {
    forgetKeys()
    for (const view of Object.values(views)) view.forget?.()
  })
  // A file that is dropped beside the field must not replace the page.
  addEventListener('dragover', (event) => event.preventDefault())
  addEventListener('drop', (event) => event.preventDefault())
}

const TITLES: { readonly [Name in ViewName]: string } = {
  Load: 'Load a signing request or a transaction',
  Check: 'Check what it does',
  Key: 'Enter your key',
  Sign: 'Sign',
  'Take away': 'Take it away',
  Decode: 'Decode: what it is, and its bytes',
  Verify: 'Verify IDs, digests and signatures',
  Generate: 'Generate a new key',
  Receive: 'Receive at your own address',
}

function documentOf(loaded: Loaded | undefined): 'none' | 'other' | 'transaction' | 'request' {
  const { found } = loaded ?? {}
  if (found === undefined) return 'none'
  if (found.kind === 'request') return 'request'
  return isTx(found) ? 'transaction' : 'other'
}
