import { type Draft, formatID, parseAmount } from 'avmkit'
import { addressElement } from 'avmkit/view'
import type { Receipt, WalletBalance } from 'avmkit/wallet'
import { amountText, unitOf } from '../amounts.ts'
import type { App, View } from '../app.ts'
import {
  actions,
  announce,
  button,
  type Child,
  copyButton,
  el,
  emptyState,
  field,
  form,
  put,
} from '../dom.ts'
import { deviceReview } from '../ledger.ts'
import { withReview } from '../review.ts'
import { clearAccepted, formKeys, underKey } from './resume.ts'

type Values = {
  readonly to: string
  readonly amount: string
  readonly asset: string
  readonly memo: string
}

/** A payment, with a review of what is signed. */
export const sendView: View = {
  title: 'Send',
  show: async (place, app) => {
    const { wallet, context } = app.session
    await clearAccepted(formKeys.send, wallet)
    // What an earlier visit entered and did not complete: the same values have the same idempotency key.
    const unfinished = formKeys.send.pending.at(-1)
    const values = unfinished?.values as Partial<Values> | undefined
    const all = await wallet.balances()
    // A pending payment may have reserved everything.
    const balances = all.filter(
      ({ spendable, assetID }) => spendable > 0n || formatID(assetID) === values?.asset,
    )
    if (balances.length === 0)
      return put(
        place,
        nothingToSend(
          app,
          all.some(({ reserved }) => reserved > 0n),
        ),
      )
    const to = input(values?.to, 'text')
    const amount = input(values?.amount, 'text')
    amount.inputMode = 'decimal'
    const memo = input(values?.memo, 'text')
    const asset = el(
      'select',
      {},
      ...balances.map((balance) => {
        const unit = unitOf(balance, context)
        const id = formatID(balance.assetID)
        const text = `${amountText(balance.spendable, unit)}${unit.assetID === undefined ? '' : ` (${id.slice(0, 8)}…)`}`
        return el('option', { value: id, selected: values?.asset === id }, text)
      }),
    )
    const entered = (): Values => ({
      to: to.value.trim(),
      amount: amount.value.trim(),
      asset: asset.value,
      memo: memo.value,
    })
    put(
      place,
      unfinished && (await unfinishedPart(unfinished.key, app)),
      form(
        'send',
        { label: 'Review', act: () => send(place, app, balances, entered()) },
        field('Recipient', to, `An address of the X-Chain, such as X-${context.hrp}1…`),
        field('Asset', asset),
        field('Amount', amount, 'The fee is added to it and shown before you sign.'),
        field('Memo (optional)', memo, 'Public for ever: everybody can read it.'),
      ),
    )
  },
}

function nothingToSend(app: App, isReserved: boolean): HTMLElement {
  const open = (label: string, view: string) =>
    actions(button(label, () => app.open(view), { class: 'primary' }))
  return isReserved
    ? emptyState(
        'Everything is in use',
        'Payments that are pending need all you have: continue or cancel them.',
        open('Activity', 'activity'),
      )
    : emptyState(
        'There is nothing to send yet',
        'Receive some funds first.',
        open('Receive', 'receive'),
      )
}

/** A payment of an earlier visit. Its key is forgotten only if the payment was never claimed: otherwise it may be paid. */
async function unfinishedPart(key: string, app: App): Promise<HTMLElement> {
  const [payment] = await app.session.wallet.payments([key])
  const isPending = payment?.status === 'pending'
  return el(
    'div',
    { class: 'state' },
    el(
      'p',
      {},
      isPending
        ? 'This payment is pending: its outcome is not known yet. Sending it again pays it at most once.'
        : 'This payment was entered before and was not made.',
    ),
    actions(
      isPending
        ? button('Continue or cancel it', () => app.open('activity'))
        : button('Clear the form', () => {
            formKeys.send.done(key)
            app.open('send')
          }),
    ),
  )
}

function input(value: string | undefined, type: string): HTMLInputElement {
  const element = el('input', {
    type,
    autocomplete: 'off',
    spellcheck: 'false',
    autocapitalize: 'none',
  })
  element.value = value ?? ''
  return element
}

async function send(
  place: HTMLElement,
  app: App,
  balances: readonly WalletBalance[],
  values: Values,
): Promise<void> {
  const { session } = app
  const balance = balances.find(({ assetID }) => formatID(assetID) === values.asset)!
  const unit = unitOf(balance, session.context)
  const amount = parseAmount(values.amount, unit.denomination)
  const call = {
    to: values.to,
    amount,
    assetID: values.asset,
    ...(values.memo !== '' && { memo: values.memo }),
  }
  const key = formKeys.send.keyFor(values)
  const extra = session.isLedger ? deviceScreens(session.wallet) : undefined
  const receipt = await underKey(formKeys.send, key, session, () =>
    withReview((consent) => session.wallet.transfer(call, { ...consent, key }), extra),
  )
  announce('Payment accepted.')
  showReceipt(place, app, receipt, amountText(amount, unit), values.to)
}

function showReceipt(
  place: HTMLElement,
  app: App,
  { txID }: Receipt,
  amount: string,
  to: string,
): void {
  const id = formatID(txID)
  const title = el('p', { class: 'card-title', tabindex: -1 }, `✓ ${amount} sent`)
  put(
    place,
    el(
      'div',
      { class: 'state success' },
      title,
      el('p', {}, 'The network has accepted the payment to'),
      addressElement(to),
      el('p', { class: 'hint' }, 'Transaction ', el('code', {}, id)),
      actions(
        button('Done', () => app.open('account'), { class: 'primary' }),
        button('Send another', () => app.open('send')),
        copyButton(id, 'transaction ID'),
      ),
    ),
  )
  title.focus({ preventScroll: true })
}

/** What the device will show, for comparison, and what it leaves out. */
function deviceScreens(
  wallet: App['session']['wallet'],
): (draft: Draft) => Promise<readonly Child[]> {
  return async (draft) => {
    const own = (await wallet.addresses()).map(({ address }) => address)
    const { screens, omissions } = deviceReview(draft, own)
    return [
      el('h3', {}, 'On the device'),
      el('ol', { class: 'screens' }, ...screens.map((text) => el('li', {}, text))),
      ...(omissions.length === 0
        ? []
        : [
            el('p', {}, 'The device does not show:'),
            el('ul', {}, ...omissions.map((text) => el('li', {}, text))),
          ]),
    ]
  }
}
