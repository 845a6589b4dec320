import {
  argument,
  boolean,
  bytesOf,
  type Check,
  list,
  object,
  omissible,
  optional,
} from '../../core/base/argument.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { address, checkDraft } from '../../core/sign/arguments.ts'
import type { AnyTx, Chain } from '../../core/sign/chain.ts'
import { chainNamed } from '../../core/sign/registry.ts'
import { FieldReader } from './field-reader.ts'
import {
  type LedgerScreen,
  oneOfAddresses,
  requireCountable,
  requireMemo,
  requireThreshold,
} from './items.ts'
import { knownChain, knownPrefix } from './known-chains.ts'
import { reviewOf } from './review.ts'
import { stakingReview } from './staking.ts'
import { requireVersion } from './staking-fields.ts'

/** What the device knows besides the transaction. */
export type LedgerScreenOptions = {
  /**
   * Addresses of the device whose paths it is told, 20 bytes each: it hides outputs to them, except a single one.
   *
   * @defaultValue none
   */
  readonly change?: readonly Uint8Array[] | undefined
}

/** Describes the options. */
export const screenOptions: Check<LedgerScreenOptions> = /* @__PURE__ */ omissible(
  object<LedgerScreenOptions>({ change: optional(list(address)) }),
)

/**
 * Predicts what a Ledger device shows before it signs a draft, so that a wallet can show the same beside it. The app
 * shows every amount as AVAX, whatever the asset: `ledgerOmissions` lists what it does not show.
 *
 * @throws LedgerError `LEDGER_UNSUPPORTED` if the app cannot show the transaction
 *
 * @example
 * for (const { title, text } of ledgerScreens(draft)) console.log(title, text)
 */
export function ledgerScreens<A extends ChainAlias>(
  draft: Draft<A>,
  options: LedgerScreenOptions = {},
): readonly LedgerScreen[] {
  const { change = [] } = argument('ledgerScreens', options, screenOptions)
  return reviewOf(checkDraft('ledgerScreens', draft).unsignedTx, oneOfAddresses(change))
}

/** What the device knows besides the bytes of a transaction. */
export type LedgerBytesOptions = LedgerScreenOptions & {
  /**
   * Whether the expert mode of the app is enabled, in which it shows more of a `TransformSubnetTx`.
   *
   * @defaultValue false
   */
  readonly expert?: boolean | undefined
}

const bytesOptions: Check<LedgerBytesOptions> = /* @__PURE__ */ omissible(
  object<LedgerBytesOptions>({ change: optional(list(address)), expert: optional(boolean) }),
)

/**
 * Predicts what a Ledger device shows before it signs the bytes of an unsigned transaction: also of staking, subnets and
 * L1s, which the library does not build and `ledgerApp(transport).signTransaction` can sign.
 *
 * @throws LedgerError `LEDGER_UNSUPPORTED` if the app cannot show the transaction
 * @throws CodecError if the bytes are not a transaction
 * @throws SignError `CHAIN_NOT_IMPORTED` for other transactions of the P-Chain and the C-Chain without `avmkit/p-chain` and `avmkit/c-chain`
 *
 * @example
 * for (const { title, text } of ledgerScreensOf(bytes)) console.log(title, text)
 */
export function ledgerScreensOf(
  unsignedBytes: Uint8Array,
  options: LedgerBytesOptions = {},
): readonly LedgerScreen[] {
  const given = argument('ledgerScreensOf', options, bytesOptions)
  const bytes = argument('ledgerScreensOf', unsignedBytes, bytesOf(), 'unsignedBytes')
  const isChange = oneOfAddresses(given.change ?? [])
  const fields = new FieldReader(bytes)
  requireVersion(fields)
  const typeID = fields.u32()
  const networkID = fields.u32()
  const alias = knownChain(fields.id(), 'blockchainID')
  const review = alias === 'P' ? stakingReview(typeID) : undefined
  if (review === undefined) return reviewOf(parsable(chainNamed(alias), bytes), isChange)
  const hrp = knownPrefix(networkID)
  const items = review({ fields, hrp, isChange, isExpert: given.expert ?? false })
  fields.finish()
  return requireCountable(items)
}

/** A draft keeps the rules of its chain; bytes need not. */
function parsable(chain: Chain, bytes: Uint8Array): AnyTx {
  const tx = chain.decodeUnsignedTx(bytes)
  for (const { output } of chain.outputs(tx)) requireThreshold(output)
  if ('memo' in tx) requireMemo(tx.memo)
  return tx
}
