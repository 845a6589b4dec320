import { hex } from '../core/base/encoding/hex.ts'
import type { Draft } from '../core/draft/x/draft.ts'
import { collectProofs, type GetAtomicParent } from '../core/sign/collect.ts'
import {
  createRequest,
  type RequestOptions,
  type SigningRequest,
} from '../core/sign/request/request.ts'
import { requireRequestOptions } from '../core/sign/request/request-check.ts'
import type { AddressPath } from '../core/sign/signer.ts'
import type { SendOptions } from './options.ts'
import { findTx } from './utxos/find.ts'
import type { WalletState } from './wallet-state.ts'

/** Options of `wallet.request`. */
export type WalletRequestOptions = Pick<RequestOptions, 'signers' | 'paths' | 'signatures'> &
  Pick<SendOptions, 'wait' | 'signal'> & {
    /**
     * Reads exports of the P- and C-Chain, which prove what an import spends; a wallet has no client for these chains.
     *
     * @defaultValue imported UTXOs stay unproven
     */
    readonly getAtomicParent?: GetAtomicParent | undefined
  }

/**
 * Puts a draft into a signing request. The proofs come from the node, which need not be trusted: what it does not
 * return, or returns falsely, stays unproven. The paths are those of the options, of `signing.paths` and of the
 * signers.
 */
export async function requestOf(
  state: WalletState,
  draft: Draft,
  { wait, signal, getAtomicParent, ...options }: WalletRequestOptions = {},
): Promise<SigningRequest> {
  requireRequestOptions(options)
  const { signing, signers = [] } = state.options
  const call = state.call({ wait, signal })
  const getTx = (txID: Uint8Array) => findTx(state.client, txID, call)
  const parents = await collectProofs(draft, getTx, getAtomicParent)
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
