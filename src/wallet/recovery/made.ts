import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { hashToSign } from '../../core/chain/x/ids.ts'
import type { TransferableOutput } from '../../core/chain/x/transferables.ts'
import type { SignedTx, UnsignedTx } from '../../core/chain/x/tx.ts'
import { canonicalText } from '../canonical.ts'
import { type Content, outputText } from '../payments/content.ts'

/**
 * Whether a transaction may have made a payment with this content. True for the transaction that did, and maybe for
 * others with the same recipients and amounts.
 */
export function mayHaveMade(
  { kind, parts }: Content,
  { unsignedTx: tx }: SignedTx,
  context: NetworkContext,
): boolean {
  switch (kind) {
    case 'transfer':
      return includesAll(tx.outputs, parts) && hasMemo(tx, parts)
    case 'export':
      return (
        tx.type === 'ExportTx' &&
        parts.includes(hex.encode(tx.destinationChain)) &&
        includesAll(tx.exportedOutputs, parts, tx.destinationChain) &&
        hasMemo(tx, parts)
      )
    case 'sendAll':
      return tx.outputs.some((output) => parts.includes(recipientText(output)))
    case 'createAsset':
      return tx.type === 'CreateAssetTx' && parts.includes(assetText(tx))
    case 'operate':
      return tx.type === 'OperationTx'
    case 'submit':
      return parts.includes(hex.encode(hashToSign(tx)))
    case 'move':
      return mayHaveMoved(tx, parts, context)
    default:
      return false
  }
}

/** Who gets the whole balance of an asset, as it is part of the content of a payment. */
export function recipientText({
  assetID,
  output: { addresses, locktime, threshold },
}: Pick<TransferableOutput, 'assetID'> & {
  readonly output: Pick<TransferableOutput['output'], 'addresses' | 'locktime' | 'threshold'>
}): string {
  const owners = addresses.map(hex.encode)
  return canonicalText({ assetID: hex.encode(assetID), owners, locktime, threshold })
}

/** A new asset, as it is part of the content of a payment. */
export function assetText({
  name,
  symbol,
  denomination,
  initialStates,
}: Pick<
  Extract<UnsignedTx, { type: 'CreateAssetTx' }>,
  'name' | 'symbol' | 'denomination' | 'initialStates'
>): string {
  return canonicalText({ name, symbol, denomination, initialStates })
}

/** Whether outputs include all those of a content, each as often. */
function includesAll(
  outputs: readonly TransferableOutput[],
  parts: readonly string[],
  chainID?: Uint8Array,
): boolean {
  const left = outputs.map(outputText)
  return parts
    .filter((part) => /^[0-9a-f]+$/.test(part) && part !== (chainID && hex.encode(chainID)))
    .every((part) => {
      const at = left.indexOf(part)
      if (at >= 0) left.splice(at, 1)
      return at >= 0
    })
}

function hasMemo({ memo }: UnsignedTx, parts: readonly string[]): boolean {
  const expected = parts.find((part) => part.startsWith('memo ')) ?? 'memo '
  return expected === `memo ${hex.encode(memo)}`
}

/** Whether an export of this chain, or an import to it, may be one of the two transactions of a move. */
function mayHaveMoved(
  tx: UnsignedTx,
  parts: readonly string[],
  { chains }: NetworkContext,
): boolean {
  const partOf = (name: string) =>
    parts.find((part) => part.startsWith(`${name} `))?.slice(name.length + 1) ?? ''
  const amount = partOf('amount')
  const isEnough = ({ assetID, output }: TransferableOutput) =>
    hex.encode(assetID) === partOf('asset') && (amount === 'all' || output.amount >= BigInt(amount))
  const isChain = (id: Uint8Array, name: string) => {
    const known = chains[partOf(name)]
    return known !== undefined && equalBytes(known, id)
  }
  if (partOf('from') === 'X')
    return (
      tx.type === 'ExportTx' &&
      isChain(tx.destinationChain, 'to') &&
      tx.exportedOutputs.some(isEnough)
    )
  const isRecipient = ({ output }: TransferableOutput) =>
    output.addresses.some((address) => hex.encode(address) === partOf('recipient'))
  return (
    partOf('to') === 'X' &&
    tx.type === 'ImportTx' &&
    isChain(tx.sourceChain, 'from') &&
    tx.outputs.some(isRecipient)
  )
}
