import { equalBytes } from '../../core/base/bytes/compare.ts'
import { formatAddress } from '../../core/base/encoding/address.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { type AcceptCode, refuseDangers } from '../../core/sign/sign.ts'
import type { WalletState } from '../wallet-state.ts'

/**
 * Refuses a draft whose change goes to others, unless that is accepted.
 *
 * @throws SignError `FOREIGN_CHANGE`
 */
export function refuseForeignChange(
  { change, unsignedTx, context }: Draft,
  state: WalletState,
  accept: readonly AcceptCode[],
): void {
  for (const { assetID, amount } of change) {
    const outputs = unsignedTx.outputs.filter(
      (one) => equalBytes(one.assetID, assetID) && one.output.amount === amount,
    )
    const isReturned = outputs.some(({ output }) => isOurs(state, output.addresses))
    const [first] = outputs
    if (isReturned || first === undefined) continue
    refuse(
      `the change of asset ${formatID(assetID)} goes to ${textOf(first.output.addresses[0], context)}, which is not an address of the wallet`,
      accept,
    )
  }
}

/**
 * Refuses a target that should be an address of the wallet, unless that is accepted.
 *
 * @throws SignError `FOREIGN_CHANGE`
 */
export function refuseForeignTarget(
  address: Uint8Array,
  context: NetworkContext,
  state: WalletState,
  accept: readonly AcceptCode[],
): void {
  if (!isOurs(state, [address]))
    refuse(`${textOf(address, context)} is not an address of the wallet`, accept)
}

function refuse(message: string, accept: readonly AcceptCode[]): void {
  refuseDangers([{ code: 'FOREIGN_CHANGE', message, danger: true, path: 'changeTo' }], { accept })
}

/** Whether the wallet watches one of the addresses, or has its key. */
function isOurs(
  { own, options: { keys, signers = [] } }: WalletState,
  addresses: readonly Uint8Array[],
): boolean {
  const signed = signers.flatMap((signer) => signer.addresses ?? [])
  return addresses.some(
    (address) =>
      own.has(address) ||
      keys?.has(address) === true ||
      signed.some((one) => equalBytes(one, address)),
  )
}

function textOf(
  address: Uint8Array | undefined,
  { chainAlias: chain, hrp }: NetworkContext,
): string {
  return address === undefined ? 'nobody' : formatAddress({ chain, hrp, address })
}
