import { formatID } from 'avmkit'
import type { WalletBalance } from 'avmkit/wallet'
import { amountText, type Unit, unitOf } from '../amounts.ts'
import type { App, View } from '../app.ts'
import { actions, announce, button, type Child, el, emptyState, put } from '../dom.ts'
import { FAUCET_AMOUNT } from '../network.ts'
import { entryList } from './activity.ts'
import { addressCard } from './address-card.ts'

const RECENT = 3

/** Balances, the address, and what happened last. */
export const accountView: View = {
  title: 'Account',
  show: async (place, app) => {
    const { wallet, context } = app.session
    const [balances, address, history] = await Promise.all([
      wallet.balances({ everywhere: true }),
      wallet.receiveAddress(),
      wallet.history({ limit: 10_000 }),
    ])
    const native = formatID(context.assetID)
    const isNative = ({ assetID }: WalletBalance) => formatID(assetID) === native
    const avax = balances.find(isNative)
    const others = balances.filter((balance) => !isNative(balance))
    const isEmpty = balances.every(
      ({ spendable, locked, waiting = [] }) => spendable + locked === 0n && waiting.length === 0,
    )
    put(
      place,
      el(
        'section',
        { class: 'card balance', 'aria-label': 'balance' },
        el(
          'p',
          { class: 'total' },
          avax === undefined ? '0 AVAX' : amountText(avax.spendable, unitOf(avax, context)),
        ),
        ...(avax === undefined ? [] : notes(avax, unitOf(avax, context))),
        actions(
          button('Send', () => app.open('send'), { class: isEmpty ? undefined : 'primary' }),
          button('Receive', () => app.open('receive')),
          button('Move', () => app.open('move')),
          faucet(app, address, isEmpty),
        ),
      ),
      others.length === 0 ? undefined : assetList(others, app),
      el('h3', {}, 'Your address'),
      addressCard(address),
      el('h3', {}, 'Recent activity'),
      history.length === 0
        ? emptyState('Nothing has happened yet', 'Payments that you receive and make appear here.')
        : entryList(history.slice(-RECENT).reverse(), balances, context),
    )
  },
}

function assetList(balances: readonly WalletBalance[], { session: { context } }: App): HTMLElement {
  return el(
    'section',
    {},
    el('h3', {}, 'Other assets'),
    el(
      'ul',
      { class: 'assets' },
      ...balances.map((balance) => {
        const unit = unitOf(balance, context)
        return el(
          'li',
          {},
          el('strong', {}, unit.symbol),
          el('span', {}, amountText(balance.spendable, unit)),
          el('code', { class: 'hint' }, unit.assetID),
        )
      }),
    ),
    el(
      'p',
      { class: 'hint' },
      'Anybody can create an asset with any symbol. Only the ID identifies it.',
    ),
  )
}

/** What cannot be spent now, and where it is. */
function notes(balance: WalletBalance, unit: Unit): Child[] {
  const { locked, reserved, waiting = [] } = balance
  const parts: [bigint, string][] = [
    [locked, 'locked'],
    [reserved, 'in pending payments'],
    ...waiting.map(({ chain, from, amount }): [bigint, string] => [
      amount,
      from === undefined
        ? `on the ${chain}-Chain`
        : `exported by the ${from}-Chain, to be imported on the ${chain}-Chain`,
    ]),
  ]
  return parts
    .filter(([amount]) => amount > 0n)
    .map(([amount, what]) => el('p', { class: 'hint' }, `${amountText(amount, unit)} ${what}`))
}

/** Test funds, if the chain is the one of the page. */
function faucet(app: App, address: string, isEmpty: boolean): HTMLElement | undefined {
  const { fund } = app.session
  if (fund === undefined) return undefined
  return button(
    `Get ${FAUCET_AMOUNT} test AVAX`,
    () => {
      fund(address)
      announce(`${FAUCET_AMOUNT} test AVAX received.`)
      app.open('account')
    },
    { class: isEmpty ? 'primary' : undefined },
  )
}
