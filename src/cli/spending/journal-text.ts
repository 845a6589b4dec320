import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { hrpOf, knownNetwork, type NetworkContext } from '../../core/chain/networks.ts'
import { detailsText, plainAmounts } from '../../wallet/payments/details-text.ts'
import {
  type ContentContext,
  type PaymentDetails,
  type WalletPayment,
  withDetails,
} from '../../wallet/payments/payment-details.ts'
import type { FileStore, PaymentRecord, StoreBinding } from '../../wallet/store/index.ts'
import type { Invocation } from '../invocation.ts'

/** How the payments of a journal are shown. */
export type JournalView = {
  readonly payment: (record: PaymentRecord) => WalletPayment
  /** What was requested, in one line. */
  readonly text: (payment: WalletPayment) => string
}

/** The view of a journal, from what it knows of its network: no node is asked. */
export async function journalView(invocation: Invocation, store: FileStore): Promise<JournalView> {
  const binding = await store.binding()
  const named = (await invocation.namedNetwork())?.context
  const context = binding && contextOf(binding, named)
  // A journal without a network has no payments.
  if (context === undefined) return { payment: (record) => record, text: () => '' }
  const amounts = plainAmounts({ ...context, assetID: context.assetID ?? new Uint8Array() })
  return {
    payment: (record) => withDetails(record, context),
    text: ({ details }) => detailsText(details, amounts),
  }
}

/** The network that a journal is bound to; without the native asset if it is neither built in nor named by the user. */
function contextOf(
  { networkID, chainID }: StoreBinding,
  named: NetworkContext | undefined,
): ContentContext & { readonly assetID?: Uint8Array } {
  const builtIn = knownNetwork(networkID)
  const known = [named, builtIn].find(
    (one) => one !== undefined && equalBytes(one.chainID, chainID),
  )
  if (known !== undefined) return known
  // Several networks share the IDs of Avalanche's networks; their prefix would be that of another network.
  const hrp = builtIn === undefined ? hrpOf(networkID) : 'custom'
  return { networkID, chainID, hrp, chainAlias: 'X', chains: {} }
}

/** What was requested, for JSON; null if it is not recorded. */
export function detailsJSON(details: PaymentDetails | undefined): object | null {
  if (details === undefined) return null
  const { kind, outputs, destinationChain, memo, other } = details
  return {
    kind,
    outputs: outputs.map(({ assetID, ...output }) => ({ ...output, assetID: formatID(assetID) })),
    destinationChain,
    memo: memo && hex.encode(memo),
    other,
  }
}
