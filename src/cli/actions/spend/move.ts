import { parseAmount } from '../../../core/base/encoding/amount.ts'
import { formatID } from '../../../core/base/encoding/ids.ts'
import type { MoveCall, MoveChain, MoveQuote } from '../../../wallet/moves/index.ts'
import type { Result } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'
import { amountsJSON, moveJSON, movesText, quoteJSON, quoteText } from '../../spending/move-text.ts'
import { assetOf } from '../../spending/payments.ts'
import { confirmThenWait, openSpending, type Spending } from '../../spending/spending.ts'
import { confirmWarned } from '../../terminal/confirm.ts'
import { paintFor } from '../../terminal/paint.ts'

/** Moves funds between chains: export, wait and import. */
export async function move(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const [text] = values.args as [string]
  const from = values.required('from', 'for example --from C') as MoveChain
  const to = values.required('to', 'for example --to X') as MoveChain
  if (from === to)
    throw new UsageError('BAD_VALUE', '--from and --to name the same chain', {
      hint: 'avmkit send pays on the X-Chain',
    })
  const plan = values.has('plan')
  const use = plan ? 'plan' : 'spend'
  const spending = await openSpending(invocation, use)
  const { wallet, run, payment, context, journal } = spending
  const { assetID, denomination } = await assetOf(values.text('asset'), invocation, context, [])
  const recipient = values.text('recipient')
  const maxFee = values.text('max-fee')
  const call: MoveCall = {
    from,
    to,
    amount: text === 'all' ? text : parseAmount(text, denomination),
    assetID,
    recipient,
    maxFee: maxFee === undefined ? undefined : parseAmount(maxFee),
  }
  const { wait, signal } = run
  const options = { ...payment, wait, signal }
  if (plan) {
    const quote = await wallet.quoteMove(call, options)
    return {
      json: quoteJSON(quote),
      text: quoteText(quote, context, invocation.paint),
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
      exportTxID: receipt.exportTxID && formatID(receipt.exportTxID),
      arrived: receipt.arrived && amountsJSON(receipt.arrived),
      quote: receipt.quote && quoteJSON(receipt.quote),
    },
    text: `arrived on ${to}: ${id}${repeated ? ', moved before with the same key' : ''}`,
  }
}

function confirmMove(
  invocation: Invocation,
  context: Spending['context'],
): (quote: MoveQuote) => Promise<boolean> {
  return confirmThenWait(invocation, async (quote: MoveQuote) => {
    const { export: first, import: second } = quote.explanations
    const { stderr, env } = invocation.io
    await confirmWarned(
      invocation,
      [...(first?.warnings ?? []), ...second.warnings],
      () => quoteText(quote, context, paintFor(stderr, env)),
      first === undefined ? 'Sign and send the import?' : 'Sign and send both transactions?',
    )
  })
}

/** Lists unfinished moves. */
export async function moves(invocation: Invocation): Promise<Result> {
  const { wallet, context, journal } = await openSpending(invocation, 'resume')
  const list = await wallet.moves()
  return {
    json: { journal, moves: list.map(moveJSON) },
    text: movesText(list, context, invocation.paint),
  }
}
