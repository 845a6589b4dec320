import { hex } from '../base/encoding/hex.ts'
import type { OutputOwners } from '../chain/owners.ts'
import type { FxOperation } from '../chain/x/fx.ts'
import { signersOf } from '../chain/x/spends.ts'
import type { TransferableInput } from '../chain/x/transferables.ts'
import type { UnsignedTx } from '../chain/x/tx.ts'
import type { UTXO } from '../chain/x/utxo.ts'
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
  tx: UnsignedTx,
  utxos: readonly UTXO[],
  candidates?: readonly Uint8Array[],
): UnsignedTx[] {
  const owners = utxos.map(({ output }) => output)
  return signerChoices(owners, candidates).map((pick) => withSigners(tx, pick))
}

/** The signature indices for each credential. */
export type PickSigners = (credential: number) => readonly number[]

/**
 * Every choice of signers for the owners of the spent UTXOs, which are in the order of the credentials.
 *
 * @throws SignError `REQUEST_SIGNER_SETS` if there are more than {@link MAX_SIGNER_SETS}, or too few candidates.
 */
export function signerChoices(
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

/** Replaces the signature indices. Inputs and operations are sorted by earlier members, so their order stays valid. */
function withSigners(tx: UnsignedTx, pick: PickSigners): UnsignedTx {
  const first = tx.inputs.length
  const withIndices = (offset: number) => (input: TransferableInput, i: number) => ({
    ...input,
    input: { ...input.input, signatureIndices: pick(offset + i) },
  })
  const inputs = tx.inputs.map(withIndices(0))
  switch (tx.type) {
    case 'BaseTx':
    case 'CreateAssetTx':
    case 'ExportTx':
      return { ...tx, inputs }
    case 'ImportTx':
      return { ...tx, inputs, importedInputs: tx.importedInputs.map(withIndices(first)) }
    case 'OperationTx':
      return {
        ...tx,
        inputs,
        operations: tx.operations.map((operation, i) => ({
          ...operation,
          operation: operationWithIndices(operation.operation, pick(first + i)),
        })),
      }
  }
}

function operationWithIndices(
  operation: FxOperation,
  signatureIndices: readonly number[],
): FxOperation {
  switch (operation.type) {
    case 'secp256k1fx.MintOperation':
    case 'nftfx.MintOperation':
    case 'propertyfx.MintOperation':
      return { ...operation, mintInput: { signatureIndices } }
    case 'nftfx.TransferOperation':
      return { ...operation, input: { signatureIndices } }
    case 'propertyfx.BurnOperation':
      return { ...operation, signatureIndices }
  }
}

/** Removes the signature indices: what remains is common to all signer sets of a request. */
export function withoutSigners(tx: UnsignedTx): UnsignedTx {
  return signersOf(tx).length === 0 ? tx : withSigners(tx, () => [])
}
