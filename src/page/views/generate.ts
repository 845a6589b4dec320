import { entropyToMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { formatPrivateKey } from '../../core/base/encoding/ids.ts'
import { networks } from '../../core/chain/networks.ts'
import { accountFromMnemonic } from '../../core/crypto/hd/index.ts'
import { addressOf, publicKeyOf } from '../../core/crypto/secp256k1.ts'
import { addressText } from '../../inspect/texts.ts'
import { ENOUGH_ROLLS, entropyFrom } from '../dice.ts'
import { actions, button, clearField, el, labeled, setChildren } from '../dom.ts'
import { addressElement } from '../elements/address.ts'
import { encryptForm } from '../encrypt-form.ts'
import { saveFile } from '../forbid-leaving.ts'
import { qrImage } from '../qr/qr.ts'
import type { View } from './view.ts'

/** A new secret and its addresses. */
type Generated = {
  readonly secret: string
  readonly kind: string
  readonly addresses: readonly { readonly path?: string; readonly address: string }[]
}

/** Generates private keys and mnemonics. */
export function generateView(): View {
  const network = select('network', Object.keys(networks))
  const kind = select('kind', ['24 words', '12 words', 'private key'])
  const count = el('input', { type: 'number', min: 1, max: 20, value: 1 })
  const dice = el('input', {
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const result = el('div')
  const make = () => {
    const entropy = entropyFrom(dice.value)
    clearField(dice)
    try {
      const generated = generate(
        kind.value,
        entropy,
        networkByName(network.value),
        Number(count.value),
      )
      setChildren(result, resultBox(generated, forget))
      // Saving the secret is now the main action.
      generateButton.classList.remove('primary')
    } finally {
      entropy.fill(0)
    }
  }
  const generateButton = button('Generate', make, { class: 'primary' })
  const forget = () => {
    setChildren(result)
    generateButton.classList.add('primary')
  }
  const element = el(
    'div',
    {},
    el(
      'p',
      { class: 'screen-only' },
      'Secrets come from the random source of this browser and stay in this page. Use a machine without a network, and compare the SHA-256 of this file first.',
    ),
    el(
      'div',
      { class: 'row screen-only' },
      labeled('What to make', kind),
      labeled('Network', network),
      labeled('Addresses', count),
    ),
    el(
      'div',
      { class: 'screen-only' },
      labeled(
        'Rolls of a die (optional)',
        dice,
        `Digits from 1 to 6, mixed with the random source; ${ENOUGH_ROLLS} rolls suffice on their own.`,
      ),
      actions(generateButton),
    ),
    result,
  )
  return { element, forget }
}

function select(name: string, options: readonly string[]): HTMLSelectElement {
  return el('select', { name }, ...options.map((text) => el('option', { value: text }, text)))
}

function networkByName(name: string): { readonly hrp: string } {
  return Object.values(networks).find((known) => known.name === name)!
}

function generate(
  kind: string,
  entropy: Uint8Array,
  network: { readonly hrp: string },
  count: number,
): Generated {
  if (kind === 'private key') {
    const address = addressText(addressOf(publicKeyOf(entropy)), network)
    return { kind, secret: formatPrivateKey(entropy), addresses: [{ address }] }
  }
  const secret = entropyToMnemonic(entropy.subarray(0, kind === '12 words' ? 16 : 32), wordlist)
  const account = accountFromMnemonic(secret)
  try {
    const positions = Array.from({ length: Math.min(Math.max(1, count || 1), 20) }, (_, index) => ({
      change: 0,
      index,
    }))
    const addresses = account.watch
      .paths(positions)
      .map(({ path, address }) => ({ path, address: addressText(address, network) }))
    return { kind: `mnemonic of ${kind}`, secret, addresses }
  } finally {
    account.wipe()
  }
}

function resultBox({ kind, secret, addresses }: Generated, forget: () => void): HTMLElement {
  const words = secret.split(' ')
  const text = el(
    'output',
    { class: 'secret', 'aria-label': kind },
    words.length === 1
      ? secret
      : el('ol', {}, ...words.flatMap((word, i) => [i > 0 ? ' ' : '', el('li', {}, word)])),
  )
  const cover = el(
    'p',
    { class: 'cover' },
    'The secret is hidden on the screen, but it is printed.',
  )
  text.hidden = true
  const reveal = button('Show the secret', () => {
    text.hidden = !text.hidden
    cover.hidden = !text.hidden
    reveal.textContent = text.hidden ? 'Show the secret' : 'Hide the secret'
  })
  return el(
    'section',
    { class: 'generated' },
    el('h3', {}, `New ${kind}`),
    cover,
    text,
    actions(
      reveal,
      button('Save without encryption', () => saveFile('avmkit.key', `${secret}\n`, 'text/plain')),
      button('Print', () => window.print()),
      button('Forget it', forget),
    ),
    encryptForm(secret),
    el(
      'ul',
      { class: 'addresses' },
      ...addresses.map(({ path, address }) =>
        el(
          'li',
          {},
          qrImage(address, `QR code of ${address}`),
          el(
            'div',
            {},
            path === undefined ? undefined : el('p', { class: 'hint' }, path),
            addressElement(address),
          ),
        ),
      ),
    ),
  )
}
