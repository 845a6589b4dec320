import { formatAddress } from '../../core/base/encoding/address.ts'
import { AvmError } from '../../core/base/errors.ts'
import { evmAddressOf } from '../../core/chain/c/evm-address.ts'
import type { AcceptCode } from '../../core/sign/sign.ts'
import type { RequestKeys } from '../../inspect/key-text.ts'
import { readerWith } from '../../inspect/request-keys.ts'
import { actions, button, type Child, details, el, setChildren } from '../dom.ts'
import { explanationBox, now } from '../explain.ts'
import { keyForm } from '../key-form.ts'
import type { Loaded } from '../read.ts'
import type { PageRequest } from '../requests.ts'
import { mergeForm, shareRequest } from '../share-request.ts'
import type { View, ViewHost } from './view.ts'

/** Signs requests, merges their copies and makes the signed transaction. */
export function signView(host: ViewHost): View {
  const element = el('div')
  let keys: RequestKeys | undefined
  const forget = () => {
    keys?.keys.wipe()
    keys = undefined
  }
  const update = (loaded: Loaded | undefined) => {
    forget()
    const { found } = loaded ?? {}
    if (found?.kind !== 'request')
      return setChildren(
        element,
        el('p', {}, 'Load a signing request above: a file, a text or a QR code.'),
      )
    const { request } = found
    const review = el('div', { tabindex: -1 })
    const replace = (next: string) => {
      host.load(next)
      // The button that was pressed is gone; the new state is what the reader looks for.
      element.querySelector<HTMLElement>('.status')?.focus()
    }
    const open = (next: RequestKeys | undefined) => {
      forget()
      keys = next
      setChildren(
        review,
        ...reviewOf(request, next, { sign: replace, forget: () => open(undefined) }),
      )
      // The explanation for these keys is above their field and must be read before signing.
      if (next !== undefined) review.focus()
    }
    open(undefined)
    setChildren(
      element,
      statusBox(request),
      el('section', {}, el('h2', {}, 'What it does'), review),
      el('section', {}, el('h2', {}, 'Your keys'), keyForm(request, open)),
      el('section', {}, el('h2', {}, 'Merge copies'), mergeForm(request, replace)),
      el('section', {}, el('h2', {}, 'Save, share, finalize'), shareRequest(request)),
    )
  }
  update(undefined)
  return { element, update, forget }
}

function statusBox({ state: { id, complete, signerSets } }: PageRequest): HTMLElement {
  const rows = signerSets.map(({ signers, missing }, i) => {
    const state = missing.length === 0 ? 'all have signed' : `missing ${missing.join(', ')}`
    return [`signer set ${i + 1}`, `${signers.join(', ')}: ${state}`] as const
  })
  return el(
    'div',
    { class: 'status', role: 'status', tabindex: -1 },
    details([
      ['request ID', id],
      ['state', complete ? 'complete: it can be finalized' : 'signatures are missing'],
      ...rows,
    ]),
  )
}

/** The explanation for these keys; with keys also what is needed to sign. */
function reviewOf(
  request: PageRequest,
  found: RequestKeys | undefined,
  act: { readonly sign: (next: string) => void; readonly forget: () => void },
): Child[] {
  const time = now()
  const explanation = request.explain({
    now: time,
    ours: found && readerWith(found),
  })
  const box = explanationBox(explanation)
  if (found === undefined) return [box]
  const { chain, context } = request
  const addresses = found.keys.addresses.map((address) =>
    formatAddress({ chain, hrp: context.hrp, address }),
  )
  const accounts = found.keys.publicKeys.map(evmAddressOf)
  const accepted = new Set<AcceptCode>()
  const offered = new Set<AcceptCode>()
  const choices = el('fieldset', {}, el('legend', {}, 'Signing is refused unless you accept this'))
  choices.hidden = true
  const offer = (code: AcceptCode) => {
    if (offered.has(code)) return
    offered.add(code)
    choices.append(acceptBox(code, accepted))
    choices.hidden = false
  }
  for (const { code, danger } of explanation.warnings) if (danger) offer(code as AcceptCode)
  const sign = () => {
    // After a failure everything stays as it is, so that the user can accept the warning.
    try {
      act.sign(request.sign(found, [...accepted], time))
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      if (isKeyCode(error.code)) offer(error.code)
      if (!offered.has(error.code as AcceptCode)) throw error
      // The library's hint names an option of its function.
      const hint = `check the box Accept ${error.code} above if this is intended`
      throw new AvmError(error.code, error.message, { cause: error, hint })
    }
  }
  return [
    box,
    details([
      ['keys of', addresses.join(', ')],
      ['accounts', chain === 'C' ? accounts.join(', ') : undefined],
    ]),
    choices,
    actions(button('Sign', sign, { class: 'primary' }), button('Forget the keys', act.forget)),
  ]
}

/** Codes about the keys rather than the transaction; only an attempt to sign reveals them. */
function isKeyCode(code: string): code is 'UNUSED_KEY' | 'KEY_NOT_A_SIGNER' {
  return code === 'UNUSED_KEY' || code === 'KEY_NOT_A_SIGNER'
}

function acceptBox(code: AcceptCode, accepted: Set<AcceptCode>): HTMLElement {
  const box = el('input', {
    type: 'checkbox',
    onchange: () => {
      if (box.checked) accepted.add(code)
      else accepted.delete(code)
    },
  })
  return el('label', { class: 'check' }, box, ` Accept ${code}`)
}
