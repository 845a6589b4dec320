import { hex } from '../base/encoding/hex.ts'
import { addressOf } from '../crypto/secp256k1.ts'
import type { Chain } from './chain.ts'
import type { Job } from './job.ts'

/** Converts between the signers that a transaction names and the addresses of their keys. */
export type SignerNames = {
  /** The address of the key of a signer; undefined if it is not known. */
  readonly addressOf: (signer: Uint8Array) => Uint8Array | undefined
  /** How the transaction names the key of an address; undefined if it is not known. */
  readonly signerOf: (address: Uint8Array) => Uint8Array | undefined
}

const SAME: SignerNames = { addressOf: (signer) => signer, signerOf: (address) => address }

/**
 * The names of the signers of a transaction. They are addresses, except for the accounts that an export of the C-Chain
 * debits: those can be found only by their public keys.
 */
export function signerNames(
  { chain, signedByAccounts }: Pick<Job, 'chain' | 'signedByAccounts'>,
  publicKeys: readonly Uint8Array[],
): SignerNames {
  if (!signedByAccounts) return SAME
  const accounts = accountsOf(chain, publicKeys)
  const addresses = publicKeys.map(addressOf)
  const byAccount = new Map(accounts.map((account, i) => [hex.encode(account), addresses[i]!]))
  const byAddress = new Map(addresses.map((address, i) => [hex.encode(address), accounts[i]!]))
  return {
    addressOf: (signer) => byAccount.get(hex.encode(signer)),
    signerOf: (address) => byAddress.get(hex.encode(address)),
  }
}

/** The accounts of public keys; none on chains without accounts. */
export function accountsOf(
  { accounts }: Chain,
  publicKeys: readonly Uint8Array[],
): readonly Uint8Array[] {
  return accounts === undefined ? [] : publicKeys.map(accounts.of)
}
