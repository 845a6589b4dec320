import { formatID, type NetworkContext } from 'avmkit'
import { addressElement } from 'avmkit/view'
import type { WalletBalance, WalletHistoryEntry } from 'avmkit/wallet'
import { avax, signedText, timeText, type Unit, unitOf } from '../amounts.ts'
import type { App, View } from '../app.ts'
import { actions, announce, button, el, emptyState, put } from '../dom.ts'
import { withReview } from '../review.ts'
import { resumePending } from './resume.ts'

/** What happened, the newest first, and what is still pending. */
export const activityView: View = {
  title: 'Activity',
  show: async (place, app) => {
    const { wallet, context } = app.session
    const [history, balances, payments] = await Promise.all([
      wallet.history({ limit: 10_000 }),
      wallet.balances(),
      wallet.payments(),
    ])
    const pending = payments.filter(({ status }) => status === 'pending')
    put(
      place,
      pending.length === 0
        ? undefined
        : pendingPart(
            pending.map(({ key }) => key),
            app,
          ),
      history.length === 0
        ? emptyState('Nothing has happened yet', 'Payments that you receive and make appear here.')
        : entryList(history.toReversed(), balances, context),
    )
  },
}

function pendingPart(keys: readonly string[], app: App): HTMLElement {
  const { session } = app
  const cancel = (key: string) => async () => {
    const { status } = await withReview((consent) => session.wallet.cancel(key, consent))
    announce(status === 'canceled' ? 'The payment was canceled.' : 'The payment had been accepted.')
    app.open('activity')
  }
  return el(
    'section',
    { class: 'state' },
    el(
      'p',
      { class: 'card-title' },
      keys.length === 1 ? '1 payment is pending' : `${keys.length} payments are pending`,
    ),
    el('p', {}, 'Their outcome is not known yet. Do not pay them again: continue, or cancel them.'),
    actions(
      button('Continue', async () => {
        await resumePending(session)
        app.open('activity')
      }),
      ...keys.map((key, i) =>
        button(keys.length === 1 ? 'Cancel it' : `Cancel payment ${i + 1}`, cancel(key)),
      ),
    ),
  )
}

const WORDS: {
  readonly [direction in WalletHistoryEntry['direction']]: readonly [icon: string, word: string]
} = {
  in: ['↓', 'Received'],
  out: ['↑', 'Sent'],
  self: ['↻', 'To yourself'],
}

/** Transactions, each with a word and an icon for its direction. */
export function entryList(
  entries: readonly WalletHistoryEntry[],
  balances: readonly WalletBalance[],
  context: NetworkContext,
): HTMLElement {
  const units = new Map(
    balances.map((balance) => [formatID(balance.assetID), unitOf(balance, context)]),
  )
  units.set(formatID(context.assetID), { symbol: 'AVAX', denomination: 9 })
  return el('ol', { class: 'entries' }, ...entries.map((entry) => entryItem(entry, units)))
}

function entryItem(entry: WalletHistoryEntry, units: ReadonlyMap<string, Unit>): HTMLElement {
  const { direction, type, otherChain, time, fee, counterparties, memo, txID } = entry
  const [icon, word] = WORDS[direction]
  const title =
    type === 'ExportTx'
      ? `Moved to the ${otherChain}-Chain`
      : // Without a fee, somebody else has imported it for the wallet.
        type === 'ImportTx' && fee > 0n
        ? `Moved from the ${otherChain}-Chain`
        : word
  const amounts = entry.amounts.map(({ assetID, amount }) => {
    const id = formatID(assetID)
    return signedText(amount, units.get(id) ?? { symbol: `units of ${id}`, denomination: 0 })
  })
  return el(
    'li',
    { class: `entry entry-${direction}` },
    el('span', { class: 'icon', 'aria-hidden': 'true' }, icon),
    el(
      'div',
      {},
      el(
        'p',
        { class: 'entry-head' },
        el('strong', {}, title),
        el('span', { class: 'entry-amount' }, amounts.join(', ') || '0 AVAX'),
      ),
      el('p', { class: 'hint' }, timeText(time), fee > 0n ? ` · fee ${avax(fee)}` : ''),
      el(
        'details',
        {},
        el('summary', {}, 'Details'),
        el(
          'dl',
          { class: 'facts' },
          ...(counterparties.length === 0
            ? []
            : [
                el('dt', {}, direction === 'in' ? 'From' : 'To'),
                el('dd', {}, ...counterparties.slice(0, 8).map(addressElement)),
              ]),
          ...(memo.length === 0 ? [] : [el('dt', {}, 'Memo'), el('dd', {}, memoText(memo))]),
          el('dt', {}, 'Transaction'),
          el('dd', {}, el('code', {}, formatID(txID))),
        ),
      ),
    ),
  )
}

/** A memo as text, or in hex if it is none. Control characters could make it look like another text. */
function memoText(memo: Uint8Array): string {
  const text = new TextDecoder().decode(memo)
  return /[\p{C}\ufffd]/u.test(text)
    ? `0x${Array.from(memo, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
    : text
}
