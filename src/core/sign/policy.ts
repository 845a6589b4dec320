import { type Check, capability } from '../base/argument.ts'
import type { ChainAlias, UnsignedTxOf, UTXOOf } from '../chain/chain-types.ts'
import type { NetworkContext } from '../chain/networks.ts'
import type { OutputOwners } from '../chain/owners.ts'
import type { PolicySums } from './sums.ts'

/**
 * Codes of what a policy refuses. Unlike a danger, it cannot be accepted in a call, only by another policy.
 *
 * `POLICY_NETWORK` the transaction is for another network than the policy; `POLICY_CHAIN` the policy does not allow a
 * chain of the transaction; `POLICY_TYPE` the policy does not allow this type of transaction; `POLICY_VAULT` an output
 * has owners of a registered vault, but is not the vault; `POLICY_RECIPIENT` an output pays someone who is not in the
 * address book; `POLICY_MAXIMUM` the transaction pays or destroys more of an asset than the maximum; `POLICY_FEE` the fee
 * is above the maximum; `POLICY_SUM` with the payments that the store of a wallet knows, it pays more of an asset than the
 * policy allows within a time.
 */
export type PolicyCode =
  | 'POLICY_NETWORK'
  | 'POLICY_CHAIN'
  | 'POLICY_TYPE'
  | 'POLICY_VAULT'
  | 'POLICY_RECIPIENT'
  | 'POLICY_MAXIMUM'
  | 'POLICY_FEE'
  | 'POLICY_SUM'

/** What a policy has against a transaction, as a warning. */
export type PolicyFinding = {
  readonly code: PolicyCode | 'UNKNOWN_ASSET' | 'UNCHECKED_SUM'
  readonly message: string
  /** The part of the transaction, such as `output 1`; empty for the whole. */
  readonly path: string
  readonly danger: true
}

/** Whether a code is that of a refusal by a policy, which no call can accept. */
export function isPolicyCode(code: string): boolean {
  return code.startsWith('POLICY_')
}

/** A policy as explanations name it. */
export type PolicyLabel = {
  readonly name: string
  /** 25 letters and digits in groups of five, which cover everything that the policy says. */
  readonly checksum: string
  /** The address book that the policy was read with; absent for none. */
  readonly addressBook?: { readonly edition: number; readonly checksum: string } | undefined
}

/** The transaction that a policy judges. Nothing in it is what a request claims, except where `certain` says so. */
export type PolicySubject = {
  readonly chain: ChainAlias
  readonly unsignedTx: UnsignedTxOf<ChainAlias>
  /** The spent UTXOs in the order of the credentials; undefined for unknown ones. */
  readonly utxos: readonly (UTXOOf<ChainAlias> | undefined)[]
  /** For each UTXO, whether it is proven, or vouched for by the caller. */
  readonly certain: readonly boolean[]
  readonly network: NetworkContext
  /** Addresses of the signer; undefined if unknown. */
  readonly ours?: readonly Uint8Array[] | undefined
  /** Accounts of the signer on the C-Chain. */
  readonly accounts: readonly Uint8Array[]
}

/**
 * What a signer refuses, whatever a request says. `parsePolicy` of `avmkit/policy` reads one from a file.
 */
export type SigningPolicy = PolicyLabel & {
  /** Owners of registered vaults. If there are any, an output is returned only if its owners are among them. */
  readonly vaults: readonly OutputOwners[]
  /** Assets that the policy vouches for, by ID in cb58. */
  readonly assets: {
    readonly [assetID: string]: { readonly symbol: string; readonly denomination: number }
  }
  /** Everything that the policy has against a transaction. */
  readonly judge: (subject: PolicySubject) => readonly PolicyFinding[]
  /** Limits of sums over time, which need a record of payments; absent for none. */
  readonly sums?: PolicySums | undefined
}

/** A policy. Not copied: those of `parsePolicy` are frozen. */
export const policyArgument: Check<SigningPolicy> = capability<SigningPolicy>('a policy', 'judge')
