import { hex } from '../base/encoding/hex.ts'
import type { OutputOwners } from '../chain/owners.ts'
import type { AnyTx, AnyUTXO, Chain, PickSigners } from './chain.ts'
import { SignError } from './errors.ts'

/** Limit of signer sets in one request; 3-of-8 owners have 56. */
export const MAX_SIGNER_SETS = 64

/**
 * One transaction for every set of signers that can spend the UTXOs: 2-of-3 owners give three. UTXOs with the same
 * owners have the same signers. With `candidates`, every signer is one of these addresses.
 *
 * @throws SignError `REQUEST_SIGNER_SETS` if there are more than {@link MAX_SIGNER_SETS}, or too few candidates.
 */
export function signerSets(
  chain: Chain,
  tx: AnyTx,
  utxos: readonly AnyUTXO[],
  candidates?: readonly Uint8Array[],
): AnyTx[] {
  // Accounts sign for themselves.
  if (utxos.length === 0) return [tx]
  const owners = utxos.map((utxo) => chain.outputOf(utxo).output)
  return signerChoices(owners, candidates).map((pick) => chain.withSigners(tx, pick))
}

/**
 * Every choice of signers for the owners of the spent UTXOs, which are in the order of the credentials.
 *
 * @throws SignError `REQUEST_SIGNER_SETS` if there are more than {@link MAX_SIGNER_SETS}, or too few candidates.
 */
function signerChoices(
  owners: readonly Pick<OutputOwners, 'threshold' | 'addresses'>[],
  candidates?: readonly Uint8Array[],
): PickSigners[] {
  const allowed = candidates && new Set(candidates.map(hex.encode))
  const groups = new Map<string, number[][]>()
  const groupOf = owners.map(({ threshold, addresses }) => {
    const names = addresses.map(hex.encode)
    const group = `${threshold}:${names.join()}`
    if (!groups.has(group)) {
      const eligible = names.flatMap((name, i) => (allowed?.has(name) === false ? [] : [i]))
      checkSetCount(groups, eligible.length, threshold)
      groups.set(group, subsets(eligible, threshold))
    }
    return group
  })
  let choices: ReadonlyMap<string, number[]>[] = [new Map()]
  for (const [group, sets] of groups)
    choices = choices.flatMap((choice) => sets.map((set) => new Map([...choice, [group, set]])))
  return choices.map((choice) => (credential) => choice.get(groupOf[credential]!) ?? [])
}

/** Checks the number of sets before creating them: 50 of 100 owners can be chosen in 10^29 ways. */
function checkSetCount(groups: ReadonlyMap<string, number[][]>, n: number, k: number): void {
  let count = 1
  for (const sets of groups.values()) count *= sets.length
  if (k > n)
    throw new SignError('REQUEST_SIGNER_SETS', `expected at least ${k} candidates, found ${n}`)
  for (let i = 0; i < Math.min(k, n - k); i++) count *= (n - i) / (i + 1)
  if (Math.round(count) > MAX_SIGNER_SETS)
    throw new SignError(
      'REQUEST_SIGNER_SETS',
      `expected at most ${MAX_SIGNER_SETS} signer sets, found ${Math.round(count)}`,
      { hint: 'pass the addresses that may sign' },
    )
}

/** All ascending subsets with `size` items. */
function subsets(items: readonly number[], size: number): number[][] {
  if (size === 0) return [[]]
  // Without this, 63 of 64 items would take 2^64 steps.
  if (items.length < size) return []
  return items.flatMap((item, i) =>
    subsets(items.slice(i + 1), size - 1).map((rest) => [item, ...rest]),
  )
}

/** Removes the signature indices: what remains is common to all signer sets of a request. */
export function withoutSigners(chain: Chain, tx: AnyTx): AnyTx {
  return chain.withSigners(tx, () => [])
}
