import { type Check, fn, object, optional } from '../core/base/argument.ts'
import { hex } from '../core/base/encoding/hex.ts'
import type { Draft } from '../core/draft/draft.ts'
import { collectProofs, type GetTx } from '../core/sign/proofs/collect.ts'
import { createRequest, type RequestOptions, requestMembers } from '../core/sign/request/request.ts'
import type { SigningRequest } from '../core/sign/request/signing-request.ts'
import type { AddressPath } from '../core/sign/signer.ts'
import { type SendOptions, waitMembers } from './options.ts'
import type { WalletState } from './wallet-state.ts'

/** Options of `wallet.request`. */
export type WalletRequestOptions = Pick<RequestOptions, 'signers' | 'paths' | 'signatures'> &
  Pick<SendOptions, 'wait' | 'signal'> & {
    /**
     * Reads exports of the P- and C-Chain, which prove what an import spends; a wallet has no client for these chains.
     *
     * @defaultValue imported UTXOs stay unproven
     */
    readonly getAtomicParent?: GetTx | undefined
  }

const { signers, paths, signatures } = requestMembers

/** Description of `WalletRequestOptions`. */
export const walletRequestOptions: Check<WalletRequestOptions> = object<WalletRequestOptions>({
  ...waitMembers,
  signers,
  paths,
  signatures,
  getAtomicParent: optional(fn<GetTx>()),
})

/**
 * Puts a draft into a signing request. The proofs come from the node, which need not be trusted: what it does not
 * return, or returns falsely, stays unproven. The paths are those of the options, of `signing.paths` and of the
 * signers.
 */
export async function requestOf(
  state: WalletState,
  draft: Draft,
  { wait, signal, getAtomicParent, ...options }: WalletRequestOptions,
): Promise<SigningRequest> {
  const { signing, signers = [] } = state.options
  const call = state.call({ wait, signal })
  const parents = await collectProofs(draft, (txID, chain) =>
    chain === 'X' ? state.chain.findTx(txID, call) : getAtomicParent?.(txID, chain),
  )
  const { paths = [] } = options
  const known = [...paths, ...(signing?.paths ?? []), ...signers.flatMap((one) => one.paths ?? [])]
  const backend = await state.backend()
  return createRequest(draft, { ...options, parents, paths: firstOfEach(known), backend })
}

/** One path for each address; the caller's come first. */
function firstOfEach(paths: readonly AddressPath[]): AddressPath[] {
  const byAddress = new Map<string, AddressPath>()
  for (const item of paths) {
    const name = hex.encode(item.address)
    if (!byAddress.has(name)) byAddress.set(name, item)
  }
  return [...byAddress.values()]
}
