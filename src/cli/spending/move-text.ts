import { formatAmount } from '../../core/base/encoding/amount.ts'
import { formatID, formatUTXOID } from '../../core/base/encoding/ids.ts'
import type { AssetAmount } from '../../core/chain/amounts.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { warningAmountText } from '../../core/sign/warnings.ts'
import type { MoveQuote, MoveRecord } from '../../wallet/moves/index.ts'
import { explanationText } from '../terminal/explanation-text.ts'
import { type Paint, paintFor } from '../terminal/paint.ts'
import { table } from '../terminal/print.ts'

/** Describes a move and its fees for confirmation. */
export function quoteText(quote: MoveQuote, context: NetworkContext, paint: Paint): string {
  const { from, to, exported, arrives, leftBehind, exportFee, importFee, recipient } = quote
  const { explanations } = quote
  const amounts = (list: readonly AssetAmount[]) =>
    list.map((each) => warningAmountText(each, context)).join(' and ')
  const avax = (fee: bigint) => `${formatAmount(fee)} AVAX`
  const txs = [explanations.export, explanations.import]
  return [
    paint.bold(`move from ${from} to ${to} on ${context.name}`),
    explanations.export === undefined
      ? `has left ${amounts(exported)} from the ${from}-Chain`
      : `leaves   ${amounts(exported)} from the ${from}-Chain, and a fee of ${avax(exportFee)}`,
    ...(leftBehind > 0n
      ? [
          `stays    ${avax(leftBehind)} in UTXOs that are too small or do not fit in one transaction`,
        ]
      : []),
    `arrives  ${amounts(arrives)} at ${recipient}, after a fee of ${avax(importFee)}`,
    ...txs.flatMap((tx) => (tx === undefined ? [] : ['', explanationText(tx, paint)])),
  ].join('\n')
}

/** No colors, for JSON. */
const PLAIN: Paint = paintFor({ write: () => {} }, {})

/** Amounts for programs. */
export function amountsJSON(list: readonly AssetAmount[]): object[] {
  return list.map(({ assetID, amount }) => ({ assetID: formatID(assetID), amount }))
}

/** A quote for programs; explanations are text. */
export function quoteJSON(quote: MoveQuote): object {
  const { explanations, exported, arrives, ...rest } = quote
  return {
    ...rest,
    exported: amountsJSON(exported),
    arrives: amountsJSON(arrives),
    explanations: {
      export: explanations.export && explanationText(explanations.export, PLAIN),
      import: explanationText(explanations.import, PLAIN),
    },
  }
}

/** An unfinished move for programs. */
export function moveJSON(move: MoveRecord): object {
  const { assetID, exportTxID, importTxID, utxos, missing, error: _error, ...rest } = move
  return {
    ...rest,
    assetID: formatID(assetID),
    exportTxID: exportTxID && formatID(exportTxID),
    importTxID: importTxID && formatID(importTxID),
    utxos: utxos.map(formatUTXOID),
    missing: missing.map(formatUTXOID),
  }
}

/** Unfinished moves, one line each. */
export function movesText(
  moves: readonly MoveRecord[],
  context: NetworkContext,
  paint: Paint,
): string {
  if (moves.length === 0) return 'no unfinished moves'
  const columns = [
    { title: 'key' },
    { title: 'move' },
    { title: 'amount', right: true },
    { title: 'stage' },
    { title: 'location' },
    { title: 'needs' },
  ] as const
  const rows = moves.map(({ key, from, to, amount, assetID, stage, location, needs }) => [
    key,
    `${from} to ${to}`,
    amount === 'all' ? amount : warningAmountText({ assetID, amount }, context),
    stage,
    location,
    needs,
  ])
  return table(columns, rows, paint)
}
