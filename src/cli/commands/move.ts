import { formatID, parseAmount } from '../../encoding/index.ts'
import type { MoveCall, MoveChain, MoveQuote } from '../../wallet/moves/index.ts'
import { type Command, confirmOptions, type Options, type Result } from '../command.ts'
import type { Invocation } from '../invocation.ts'
import { moveJSON, movesText, quoteJSON, quoteText } from '../move-text.ts'
import { assetOf } from '../payments.ts'
import { paintExplanation } from '../print.ts'
import { issuingOptions, keyOption, openSpending, type Spending } from '../spending.ts'

const CHAINS = ['X', 'P', 'C'] as const

const moveOptions: Options = {
  from: { value: 'CHAIN', choices: CHAINS, help: 'the chain that the funds leave' },
  to: { value: 'CHAIN', choices: CHAINS, help: 'the chain on which they arrive' },
  recipient: {
    value: 'ADDRESS',
    help: 'who receives them: X-…, P-… or an account 0x…; default: your first address or account',
  },
  asset: { value: 'ID', help: 'the asset to move between X and P; default AVAX' },
  'max-fee': {
    value: 'AMOUNT',
    help: 'the highest fee of each of the two transactions, in AVAX; default 0.1',
  },
  plan: { help: 'print what would be done, and do nothing' },
  ...keyOption,
  ...confirmOptions,
  ...issuingOptions,
}

/** Both transactions of a transfer between chains. */
export const move: Command = {
  name: 'move',
  summary: 'move funds between the X-, P- and C-Chain: export, wait and import',
  details:
    'AMOUNT is what arrives; both fees come on top. The amount all moves all AVAX that can be spent.\nBoth transactions are recorded in the journal: journal resume completes a move that was interrupted.',
  arguments: [{ name: 'AMOUNT', help: 'in units of the asset, or all' }],
  options: moveOptions,
  example: 'move 1.5 --from C --to X --key-file my.key',
  run: async (invocation) => {
    const { values } = invocation
    const [text] = values.args as [string]
    const from = values.required('from', 'for example --from C') as MoveChain
    const to = values.required('to', 'for example --to X') as MoveChain
    const plan = values.has('plan')
    const { wallet, run, context, journal } = await openSpending(
      invocation,
      plan ? 'plan' : 'spend',
    )
    const { assetID, denomination } = await assetOf(values.text('asset'), invocation, context)
    const recipient = values.text('recipient')
    const maxFee = values.text('max-fee')
    const call: MoveCall = {
      from,
      to,
      amount: text === 'all' ? text : parseAmount(text, denomination),
      assetID,
      ...(recipient === undefined ? {} : { recipient }),
      ...(maxFee === undefined ? {} : { maxFee: parseAmount(maxFee) }),
    }
    const { key, wait, signal } = run
    const options = { key, wait, signal }
    if (plan) {
      const quote = await wallet.quoteMove(call, options)
      return {
        json: quoteJSON(quote, context),
        text: paintExplanation(quoteText(quote, context), invocation.paint),
      }
    }
    const confirm = confirmMove(invocation, context)
    const receipt = await wallet.move(call, { ...options, confirm })
    const id = formatID(receipt.txID)
    const repeated = receipt.exportTxID === undefined
    return {
      json: {
        txID: id,
        status: 'accepted',
        repeated,
        journal,
        ...(receipt.exportTxID && { exportTxID: formatID(receipt.exportTxID) }),
        ...(receipt.quote && { quote: quoteJSON(receipt.quote, context) }),
      },
      text: `arrived on ${to}: ${id}${repeated ? ', moved before with the same key' : ''}`,
    }
  },
}

function confirmMove(
  invocation: Invocation,
  context: Spending['context'],
): (quote: MoveQuote) => Promise<boolean> {
  return async (quote) => {
    const { explanations } = quote
    if (invocation.values.has('yes'))
      for (const half of [explanations.export, explanations.import])
        for (const { code, message } of half.warnings) invocation.warn(code, message)
    await invocation.confirmText(quoteText(quote, context), 'Sign and send both transactions?')
    let seconds = 0
    const show = () =>
      invocation.progress.show(seconds++, undefined, 'seconds waited for acceptance')
    const timer = setInterval(show, 1000)
    invocation.atEnd(() => clearInterval(timer))
    return true
  }
}

/** Moves that have not arrived. */
export const moves: Command = {
  name: 'moves',
  summary: 'list unfinished moves: where the funds are and what is needed',
  arguments: [],
  options: issuingOptions,
  example: 'moves --key-file my.key',
  run: async (invocation): Promise<Result> => {
    const { wallet, context, journal } = await openSpending(invocation, 'resume')
    const list = await wallet.moves()
    return {
      json: { journal, moves: list.map(moveJSON) },
      text: movesText(list, context, invocation.paint),
    }
  },
}
