import { formatAddress } from '../../core/base/encoding/address.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { type AssetAmount, AssetSums } from '../../core/chain/amounts.ts'
import { aliasOf, type NetworkContext } from '../../core/chain/networks.ts'
import type { OutputOwners } from '../../core/chain/owners.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import { burnedBy } from '../../core/chain/x/spends.ts'
import type { SignedTx, UnsignedTx } from '../../core/chain/x/tx.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import type { OwnAddresses } from '../accounts/own-addresses.ts'

/** An accepted transaction that concerns a wallet. */
export type WalletHistoryEntry = {
  /** For the option `after` of the next call. */
  readonly cursor: string
  readonly txID: Uint8Array
  /** The chain of the transaction. */
  readonly chain: string
  /** The chain that it exports to or imports from, by its alias or ID; absent for other transactions. */
  readonly otherChain?: string | undefined
  /** As the protocol names it, such as `BaseTx`. */
  readonly type: UnsignedTx['type']
  /** Absent for transactions from before the X-Chain had blocks. */
  readonly height?: bigint | undefined
  /** Unix seconds. */
  readonly time: bigint
  /** `self`: nothing but the fee left the wallet, and nothing arrived. */
  readonly direction: 'in' | 'out' | 'self'
  /** What the wallet has gained on this chain, per asset; negative if it has lost it. Fees are included. */
  readonly amounts: readonly AssetAmount[]
  /** The fee in nAVAX; 0n if others paid it. */
  readonly fee: bigint
  /** Whom the wallet paid, or who signed what paid it, as addresses. */
  readonly counterparties: readonly string[]
  readonly memo: Uint8Array
  /** Idempotency keys of the payments of the store that it made. */
  readonly keys: readonly string[]
}

/** What is known of a transaction. */
export type FoundEntry = {
  readonly txID: Uint8Array
  readonly tx: SignedTx
  readonly height: bigint | undefined
  readonly time: bigint
  /** UTXOs of the wallet that it spends, as far as the X-Chain has created them. */
  readonly spent: readonly UTXO[]
  /** The addresses whose keys signed it. */
  readonly signers: readonly Uint8Array[]
}

/** Describes a transaction from the point of view of a wallet. */
export function historyEntry(
  { txID, tx, height, time, spent, signers }: FoundEntry,
  own: Pick<OwnAddresses, 'has'>,
  context: NetworkContext,
  keys: readonly string[],
): WalletHistoryEntry {
  const { unsignedTx } = tx
  const isOurs = ({ addresses }: Pick<OutputOwners, 'addresses'>) => addresses.some(own.has)
  const created = createdUTXOs(tx, txID)
  const sums = new AssetSums()
  for (const { assetID, output } of created)
    if ('amount' in output && isOurs(output)) sums.add(assetID, output.amount)
  for (const { assetID, output } of spent) if ('amount' in output) sums.add(assetID, -output.amount)
  const isPaidByUs = signers.some(own.has)
  const fee = isPaidByUs ? burnedBy(unsignedTx).get(context.assetID) : 0n
  const amounts = sums.list()
  const other = otherChainOf(unsignedTx, context)
  const recipients = [
    ...created.map(({ output }) => output),
    ...(unsignedTx.type === 'ExportTx'
      ? unsignedTx.exportedOutputs.map(({ output }) => output)
      : []),
  ].filter((output) => !isOurs(output))
  const others = isPaidByUs
    ? recipients.flatMap(({ addresses }) => addresses)
    : signers.filter((signer) => !own.has(signer))
  const { chainAlias: chain, hrp } = context
  const texts = others.map((address) => formatAddress({ chain, hrp, address }))
  return {
    cursor: `${height ?? ''}/${formatID(txID)}`,
    txID,
    chain,
    ...(other !== undefined && { otherChain: other }),
    type: unsignedTx.type,
    height,
    time,
    direction: directionOf(amounts, fee, context),
    amounts,
    fee,
    counterparties: [...new Set(texts)],
    memo: unsignedTx.memo,
    keys,
  }
}

function directionOf(
  amounts: readonly AssetAmount[],
  fee: bigint,
  { assetID: native }: NetworkContext,
): WalletHistoryEntry['direction'] {
  const withoutFee = new AssetSums([...amounts, { assetID: native, amount: fee }]).list()
  if (withoutFee.some(({ amount }) => amount < 0n)) return 'out'
  return withoutFee.length === 0 ? 'self' : 'in'
}

function otherChainOf(tx: UnsignedTx, context: NetworkContext): string | undefined {
  const chainID =
    tx.type === 'ExportTx'
      ? tx.destinationChain
      : tx.type === 'ImportTx'
        ? tx.sourceChain
        : undefined
  if (chainID === undefined) return undefined
  return aliasOf(chainID, context) ?? formatID(chainID)
}
