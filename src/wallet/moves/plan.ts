import { equalBytes } from '../../core/base/bytes/compare.ts'
import { formatAddress } from '../../core/base/encoding/address.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { ArgumentError, VerifyError } from '../../core/base/errors.ts'
import { formatEVMAddress } from '../../core/chain/c/evm-address.ts'
import { contextOn, type NetworkContext } from '../../core/chain/networks.ts'
import { toAddress, toAmount, toAssetID } from '../../core/draft/arguments.ts'
import { toEVMAddress } from '../../core/draft/c/export.ts'
import { BuildError } from '../../core/draft/errors.ts'
import { DEFAULT_MAX_FEE } from '../../core/draft/fees.ts'
import { WalletError } from '../errors.ts'
import type { Content } from '../payments/content.ts'
import type { MoveNote } from './note.ts'
import type { ImportStrayCall, MoveCall } from './types.ts'

/** Addresses and C-Chain accounts of the wallet, 20 bytes each. */
export type OwnRecipients = {
  /** Default recipient on the X- and P-Chain. */
  readonly address: Uint8Array
  /** Default recipient on the C-Chain. Throws if the wallet has no account. */
  readonly account: () => Uint8Array
  /** All addresses of the wallet. */
  readonly addresses: readonly Uint8Array[]
  /** All accounts of the wallet on the C-Chain. */
  readonly accounts: readonly Uint8Array[]
}

/**
 * Reads the arguments of an import of stray UTXOs, as those of a move of everything.
 *
 * @throws like {@link planOf}
 */
export function strayPlanOf(
  call: ImportStrayCall,
  context: NetworkContext,
  own: OwnRecipients,
): MoveNote {
  const { sourceChain: from, destinationChain: to, recipient, maxFee } = call
  return planOf({ from, to, amount: 'all', recipient, maxFee }, context, own)
}

/**
 * Reads the arguments of a move.
 *
 * @throws VerifyError `SAME_CHAIN`; BuildError `STUCK_EXPORT` for an asset that the C-Chain cannot import;
 * ArgumentError for an address of another chain or network
 */
export function planOf(call: MoveCall, context: NetworkContext, own: OwnRecipients): MoveNote {
  const { from, to, amount, maxFee = DEFAULT_MAX_FEE } = call
  if (from === to)
    throw new VerifyError('SAME_CHAIN', `a move needs two different chains, got ${from} twice`)
  const assetID = toAssetID(call.assetID, context)
  const isAVAX = equalBytes(assetID, context.assetID)
  if (!isAVAX && (from === 'C' || to === 'C'))
    throw new BuildError('STUCK_EXPORT', 'the C-Chain exports and imports only AVAX', {
      hint: 'nothing was signed',
    })
  if (amount === 'all' && !isAVAX)
    throw new ArgumentError('ENC_INVALID', 'move: amount all is supported only for AVAX', {
      path: 'amount',
    })
  if (amount !== 'all' && toAmount(amount) === 0n)
    throw new WalletError('NOTHING_TO_PAY', 'the amount of a move must be above 0')
  return { from, to, amount, assetID, recipient: recipientOf(call, context, own), maxFee }
}

function recipientOf(
  { to, recipient }: MoveCall,
  context: NetworkContext,
  own: OwnRecipients,
): Uint8Array {
  if (recipient === undefined) return to === 'C' ? own.account() : own.address
  const found =
    to === 'C'
      ? toEVMAddress(recipient)
      : toAddress(recipient, to === 'P' ? contextOn('P', context) : context)
  // Addresses and accounts both have 20 bytes. Nobody has the key of an account with the bytes of an address, or the
  // reverse.
  const wrong = to === 'C' ? own.addresses : own.accounts
  if (wrong.some((bytes) => equalBytes(bytes, found)))
    throw new BuildError(
      'STUCK_EXPORT',
      to === 'C'
        ? 'the recipient is an address of this wallet, not an account of the C-Chain'
        : `the recipient is an account of this wallet on the C-Chain, not an address of the ${to}-Chain`,
      { hint: 'nothing was signed' },
    )
  return found
}

/** The text of an address or account on the destination chain. */
export function recipientText(
  { to, recipient }: Pick<MoveNote, 'to' | 'recipient'>,
  { hrp }: NetworkContext,
): string {
  return to === 'C'
    ? formatEVMAddress(recipient)
    : formatAddress({ chain: to, hrp, address: recipient })
}

/** What the idempotency key of a move is bound to. */
export function contentOf({ from, to, amount, assetID, recipient }: MoveNote): Content {
  return {
    kind: 'move',
    parts: [
      `from ${from}`,
      `to ${to}`,
      `amount ${amount}`,
      `asset ${hex.encode(assetID)}`,
      `recipient ${hex.encode(recipient)}`,
    ],
  }
}
