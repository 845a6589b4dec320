import type { HDChoice } from '../../inspect/key-text.ts'
import { el, setChildren } from '../dom.ts'
import { addressElement } from '../elements/address.ts'
import { keyFit } from '../key-fit.ts'
import { keyForm } from '../key-form.ts'
import type { PageRequest } from '../requests.ts'
import type { View, ViewHost } from './view.ts'

/** Asks for the keys that sign a request, and compares them with its signers. */
export function keyView(host: ViewHost): View {
  const element = el('div')
  const update = () => {
    const request = host.request()
    if (request === undefined)
      return setChildren(element, el('p', {}, 'Load a signing request first.'))
    const problem = el('div')
    const open = (text: string, choice: HDChoice) => {
      const found = request.keysOf(text, choice)
      const names = request.namesOf(found.keys)
      const { signing, needed } = keyFit(names, request.state.signerSets)
      if (signing.length === 0) {
        found.keys.wipe()
        setChildren(problem, wrongKey(names, needed))
        return
      }
      setChildren(problem)
      host.useKeys(found)
      host.open('Sign')
    }
    const form = keyForm({
      label: 'Private key or mnemonic',
      hint: 'The field is cleared as soon as it is read. Keys are never stored and are wiped after signing.',
      action: 'Use these keys',
      hasCount: true,
      open,
    })
    setChildren(element, signerList(request), form, problem)
  }
  return { element, update }
}

/** The signers of a request, and who has signed. */
export function signerList({ state: { signerSets } }: PageRequest): HTMLElement {
  return el(
    'div',
    { class: 'signers' },
    ...signerSets.map(({ signers, missing }, i) =>
      el(
        'div',
        {},
        el(
          'h3',
          {},
          signerSets.length === 1 ? 'Who signs' : `Who signs, way ${i + 1} of ${signerSets.length}`,
        ),
        el(
          'ul',
          { class: 'owners' },
          ...signers.map((signer) =>
            el(
              'li',
              { class: missing.includes(signer) ? 'waiting' : 'signed' },
              addressElement(signer),
              el('span', {}, missing.includes(signer) ? 'missing' : 'signed'),
            ),
          ),
        ),
      ),
    ),
  )
}

/** Whose key it is, and whose is needed. */
function wrongKey(names: readonly string[], needed: readonly string[]): HTMLElement {
  const list = (addresses: readonly string[]) =>
    el('ul', { class: 'owners' }, ...addresses.map((each) => el('li', {}, addressElement(each))))
  return el(
    'div',
    { class: 'error wrong-key', role: 'alert' },
    el('strong', {}, 'This key cannot sign this request'),
    el('p', {}, names.length === 1 ? 'It is the key of' : 'They are the keys of'),
    list(names.slice(0, 20)),
    el('p', {}, needed.length === 0 ? 'All signers have signed.' : 'Needed is a key of'),
    list(needed.slice(0, 20)),
    el(
      'p',
      { class: 'hint' },
      'A mnemonic has many addresses: set the account, the number of addresses and the passphrase in its options. The key was forgotten.',
    ),
  )
}
