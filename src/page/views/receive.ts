import { networks } from '../../core/chain/networks.ts'
import { type HDChoice, publicTextsOf } from '../../inspect/key-text.ts'
import {
  type Payee,
  payableText,
  payeeOf,
  vaultHRP,
  vaultPayee,
  verifyPayable,
} from '../../inspect/receive.ts'
import type { OpenVault } from '../../signers/policy/vault.ts'
import { actions, button, details, el, labeled, setChildren } from '../dom.ts'
import { addressElement } from '../elements/address.ts'
import { errorElement } from '../elements/error.ts'
import { intake } from '../intake.ts'
import { keyForm } from '../key-form.ts'
import { loadedPolicy } from '../loaded/policies.ts'
import { loadedNetworks } from '../loaded/profiles.ts'
import { qrImage } from '../qr/qr.ts'
import type { View } from './view.ts'

/** The owners of a large vault make a QR code that cameras cannot read. */
const MAX_QR_TEXT = 1_000

/** A choice of the reader: an option with its value. */
type Choice<T> = readonly [name: string, value: T]

/**
 * Shows the address at an index of the reader's key or of a registered vault, and verifies one that was sent to the
 * reader. Of a key only the public part is kept.
 */
export function receiveView(): View {
  const element = el('div')
  const update = () => {
    const vaults = (loadedPolicy()?.registered ?? []).map(
      (vault): Choice<OpenVault | undefined> => [`vault "${vault.name}"`, vault],
    )
    const body = el('div')
    const whose = select<OpenVault | undefined>([['my key', undefined], ...vaults], () => show())
    const show = () => {
      const vault = whose.value()
      setChildren(body, vault === undefined ? keyBox() : vaultBox(vault))
    }
    show()
    setChildren(
      element,
      el(
        'p',
        {},
        'Give payers an address that this page shows, not one that came by mail or chat: programs exchange addresses on their way.',
      ),
      labeled('Whose address', whose.element, 'Load a policy to see its vaults here.'),
      body,
    )
  }
  return { element, update }
}

/** Asks for a key, and then shows its addresses. */
function keyBox(): HTMLElement {
  const element = el('div')
  const all = [...Object.values(networks), ...loadedNetworks()]
  const network = select(
    all.map((each): Choice<string> => [each.name, each.hrp]),
    () => ask(),
  )
  const ask = () => {
    const open = (text: string, choice: HDChoice) => {
      const hrp = network.value()
      const isAccount = text.trim().startsWith('xpub')
      const payee = payeeOf(isAccount ? [text.trim()] : publicTextsOf([text], choice, hrp))
      setChildren(element, payeeBox(payee, hrp), actions(button('Forget this key', () => ask())))
    }
    const form = keyForm({
      label: 'Private key, mnemonic or extended public key',
      hint: 'The field is cleared as soon as it is read. Only the addresses of the key are kept.',
      action: 'Show its addresses',
      hasCount: false,
      open,
    })
    setChildren(element, labeled('Network of the address', network.element), form)
  }
  ask()
  return element
}

function vaultBox(vault: OpenVault): HTMLElement {
  const owners = `${vault.threshold} of ${vault.members.length}`
  return el(
    'div',
    {},
    details([
      ['owners', owners],
      ['checksum', vault.checksum],
    ]),
    payeeBox(vaultPayee(vault), vaultHRP(vault)),
  )
}

/** Shows and verifies the addresses of a payee. */
function payeeBox(payee: Payee, hrp: string): HTMLElement {
  const chain = select(
    ['X', 'P', 'C'].map((alias): Choice<string> => [alias, alias]),
    () => show(),
  )
  const index = el('input', {
    type: 'number',
    min: 0,
    max: payee.indices - 1,
    value: 0,
    oninput: () => show(),
  })
  const result = el('div', { 'aria-live': 'polite' })
  const show = () => {
    try {
      // An empty field is not index 0.
      const number = index.value === '' ? Number.NaN : Number(index.value)
      const text = payableText(payee, number, { chain: chain.value(), hrp })
      setChildren(result, payableBox(text))
    } catch (error) {
      setChildren(result, errorElement(error))
    }
  }
  show()
  return el(
    'div',
    { class: 'receive' },
    el('div', { class: 'row' }, labeled('Chain', chain.element), labeled('Index', index)),
    result,
    verifyBox(payee, hrp),
  )
}

function payableBox(text: string): HTMLElement {
  const [, threshold, list] = /^(?:(\d+):)?(.+)$/.exec(text)!
  const addresses = list!.split(',')
  return el(
    'ul',
    { class: 'addresses' },
    el(
      'li',
      {},
      text.length > MAX_QR_TEXT ? undefined : qrImage(text, `QR code of ${text}`),
      el(
        'div',
        {},
        threshold === undefined
          ? undefined
          : el('p', { class: 'hint' }, `${threshold} of ${addresses.length} owners sign:`),
        ...addresses.map((address) => el('p', {}, addressElement(address))),
      ),
    ),
  )
}

function verifyBox(payee: Payee, hrp: string): HTMLElement {
  const result = el('div', { role: 'status' })
  const { element } = intake({
    label: 'An address that was sent to you',
    hint: 'Of several owners: 2:ADDRESS,ADDRESS.',
    action: 'Verify this address',
    take: (text) => {
      setChildren(result)
      if (text.trim() === '') return
      const { change, index } = verifyPayable(payee, text, hrp)
      const side = change === 0 ? '' : ' of the change side'
      setChildren(
        result,
        el('p', { class: 'state' }, el('strong', {}, `It is yours: index ${index}${side}.`)),
      )
    },
  })
  return el('div', {}, element, result)
}

/** A field to choose one of several values. */
function select<T>(
  choices: readonly Choice<T>[],
  onchange: () => void,
): { readonly element: HTMLSelectElement; readonly value: () => T } {
  const element = el(
    'select',
    { onchange },
    ...choices.map(([name], i) => el('option', { value: `${i}` }, name)),
  )
  return { element, value: () => choices[Number(element.value)]![1] }
}
