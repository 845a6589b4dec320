import { formatAmount, formatID, parseAmount } from 'avmkit'
import type { MoveChain, MoveRecord } from 'avmkit/moves'
import { avax } from '../amounts.ts'
import type { App, View } from '../app.ts'
import { actions, announce, button, el, field, form, put } from '../dom.ts'
import { reviewMove } from '../review.ts'
import { clearAccepted, formKeys, underKey } from './resume.ts'

const CHAINS: { readonly [Chain in MoveChain]: string } = {
  X: 'X-Chain (payments)',
  P: 'P-Chain (staking)',
  C: 'C-Chain (contracts)',
}

type Values = { readonly from: MoveChain; readonly to: MoveChain; readonly amount: string }

/** How often the stage of a move is read. */
const POLL_MS = 500

/** Moves AVAX between chains: an export, and an import. */
export const moveView: View = {
  title: 'Move',
  show: async (place, app) => {
    const { wallet, context } = app.session
    const [unfinished, balances] = await Promise.all([
      wallet.moves(),
      wallet.balances({ everywhere: true }),
    ])
    const native = balances.find(({ assetID }) => formatID(assetID) === formatID(context.assetID))
    const on = (chain: MoveChain): bigint =>
      chain === 'X'
        ? (native?.spendable ?? 0n)
        : (native?.waiting ?? [])
            .filter((one) => one.chain === chain && one.from === undefined)
            .reduce((sum, one) => sum + one.amount, 0n)
    await clearAccepted(formKeys.move, app.session.wallet)
    const values = formKeys.move.pending.at(-1)?.values as Partial<Values> | undefined
    const from = chainSelect(values?.from ?? 'X', on)
    const to = chainSelect(values?.to ?? 'P')
    const amount = el('input', { type: 'text', autocomplete: 'off', inputmode: 'decimal' })
    amount.value = values?.amount ?? ''
    const entered = (): Values => ({
      from: from.value as MoveChain,
      to: to.value as MoveChain,
      amount: amount.value.trim(),
    })
    const progress = el('div', { 'aria-live': 'polite' })
    put(
      place,
      ...unfinished.map((move) => unfinishedPart(move, app)),
      el(
        'p',
        {},
        'A move is two transactions: an export on one chain and an import on the other. You review both once.',
      ),
      form(
        'move',
        { label: 'Review', act: () => move({ place, progress }, app, entered()) },
        field('From', from),
        field('To', to),
        field(
          'AVAX that arrive',
          amount,
          'Both fees are added. “all” moves everything, less the fees.',
        ),
      ),
      progress,
    )
  },
}

function chainSelect(chosen: MoveChain, on?: (chain: MoveChain) => bigint): HTMLSelectElement {
  const names = Object.entries(CHAINS) as [MoveChain, string][]
  return el(
    'select',
    {},
    ...names.map(([chain, name]) =>
      el(
        'option',
        { value: chain, selected: chain === chosen },
        on === undefined ? name : `${name}: ${avax(on(chain))}`,
      ),
    ),
  )
}

async function move(
  { place, progress }: { readonly place: HTMLElement; readonly progress: HTMLElement },
  app: App,
  values: Values,
): Promise<void> {
  const { wallet } = app.session
  const { from, to } = values
  const amount = values.amount.toLowerCase() === 'all' ? 'all' : parseAmount(values.amount)
  const key = formKeys.move.keyFor(values)
  let isOver = false
  let isSigned = false
  const confirm = async (quote: Parameters<typeof reviewMove>[0]) => {
    isSigned = await reviewMove(quote)
    if (isSigned) put(progress, stepList(from, to, 0))
    return isSigned
  }
  const watching = watch(progress, app, values, key, () => isOver)
  try {
    const { arrived, txID } = await underKey(formKeys.move, key, app.session, () =>
      wallet.move({ from, to, amount }, { key, confirm }),
    )
    const sum = arrived?.reduce((all, one) => all + one.amount, 0n)
    announce(`The move to the ${to}-Chain is complete.`)
    put(
      place,
      stepList(from, to, 3),
      el(
        'div',
        { class: 'state success' },
        el(
          'p',
          { class: 'card-title' },
          `✓ ${sum === undefined ? 'The funds' : avax(sum)} arrived on the ${to}-Chain`,
        ),
        el('p', { class: 'hint' }, 'Import ', el('code', {}, formatID(txID))),
        actions(button('Done', () => app.open('account'), { class: 'primary' })),
      ),
    )
  } catch (error) {
    if (!isSigned) put(progress)
    throw error
  } finally {
    isOver = true
    await watching
  }
}

const STAGES: { readonly [Stage in MoveRecord['stage']]: number } = {
  exporting: 0,
  exported: 1,
  importing: 2,
}

/** Shows how far a move has come while it runs. */
async function watch(
  progress: HTMLElement,
  { session: { wallet } }: App,
  { from, to }: Values,
  key: string,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    if (isOver()) return
    const moves = await wallet.moves().catch(() => [])
    const record = moves.find((one) => one.key === key)
    if (record !== undefined && !isOver()) put(progress, stepList(from, to, STAGES[record.stage]))
  }
}

/** The steps of a move; those before `at` are done, in words and in color. */
function stepList(from: MoveChain, to: MoveChain, at: number): HTMLElement {
  const names = [
    `Export from the ${from}-Chain`,
    'Wait until it can be imported',
    `Import on the ${to}-Chain`,
  ]
  return el(
    'ol',
    { class: 'progress' },
    ...names.map((name, i) => {
      const [state, word] =
        i < at ? ['done', 'done'] : i === at ? ['now', 'in progress'] : ['later', 'next']
      return el(
        'li',
        { class: state, 'aria-current': i === at ? 'step' : undefined },
        `${name}: ${word}`,
      )
    }),
  )
}

function unfinishedPart(move: MoveRecord, app: App): HTMLElement {
  const { from, to, amount, location, needs, stage } = move
  const text = amount === 'all' ? 'All AVAX' : `${formatAmount(amount)} AVAX`
  return el(
    'section',
    { class: 'state' },
    el('p', { class: 'card-title' }, `${text} from ${from} to ${to}: not finished`),
    stepList(from, to, STAGES[stage]),
    el('p', {}, `The funds are ${location}. ${needs}`),
    actions(
      button(
        'Continue',
        async () => {
          await app.session.wallet.move(
            { from, to, amount, recipient: move.recipient },
            { key: move.key, confirm: reviewMove },
          )
          formKeys.move.done(move.key)
          announce('The move is complete.')
          app.open('move')
        },
        { class: 'primary' },
      ),
    ),
  )
}
