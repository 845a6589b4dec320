import { hex } from '../base/encoding/hex.ts'
import type { OutputOwners } from '../chain/owners.ts'
import { createdUTXOs, exportedUTXOs, producedOutputs } from '../chain/x/created.ts'
import type { Output } from '../chain/x/fx.ts'
import { spendsOf } from '../chain/x/spends.ts'
import type { UnsignedTx } from '../chain/x/tx.ts'
import type { UTXO } from '../chain/x/utxo.ts'
import { GroupSums, isOursAlone, ownersKeys } from './owner-sums.ts'

/** Placeholder for the ID of the asset that a transaction creates, which has no ID until it is signed. */
export const NEW_ASSET: Uint8Array = /* @__PURE__ */ new Uint8Array(32)

/**
 * Who gets an output, decided by keys and proven owners alone, never by the request file:
 *
 * - `ours`: our keys can spend it without others, and others cannot spend it without us;
 * - `vault`: it has exactly the owners and threshold of spent UTXOs, and these owners get no more of the asset than
 *   they put in;
 * - `payment`: everything else.
 */
export type Ownership = 'ours' | 'vault' | 'payment'

/** An output and who gets it. */
export type AttributedOutput = {
  readonly outputIndex: number
  /** {@link NEW_ASSET} for the asset that the transaction creates. */
  readonly assetID: Uint8Array
  readonly output: Output
  /** Where in the transaction it comes from. */
  readonly source: 'outputs' | 'exportedOutputs' | 'initialStates' | 'operations'
  readonly ownership: Ownership
  /** How many of its owners are ours. */
  readonly ourOwners: number
}

/** Spent UTXOs with the same owners and threshold. */
export type InputGroup = {
  readonly owners: OutputOwners
  /** Whether one of our keys is an owner; true for all groups if our keys are unknown. */
  readonly isOurs: boolean
  /** Spent amounts, by the hex of the asset ID. */
  readonly spent: ReadonlyMap<string, bigint>
  /** The latest locktime of its UTXOs. */
  readonly locktime: bigint
}

/** Owners of the spent UTXOs and of the outputs. */
export type OwnershipView = {
  readonly outputs: readonly AttributedOutput[]
  /** Groups of the UTXOs whose owners are certain. */
  readonly groups: ReadonlyMap<string, InputGroup>
}

/**
 * Decides who gets each output. `utxos` are in the order of the credentials, `undefined` if the owners are not
 * certain. `ours` are our addresses; without them no output is `ours`, and outputs to any group can be `vault`.
 */
export function viewOwnership(
  tx: UnsignedTx,
  utxos: readonly (UTXO | undefined)[],
  ours: readonly Uint8Array[] | undefined,
): OwnershipView {
  const ourAddresses = ours && new Set(ours.map(hex.encode))
  const keyOf = ownersKeys()
  const groups = inputGroups(tx, utxos, ourAddresses, keyOf)
  const operated = operationGroups(tx, utxos, keyOf)
  const soleGroup =
    groups.size === 1 && !utxos.includes(undefined) ? [...groups.keys()][0] : undefined
  const newOutputs = newOutputsOf(tx)
  const received = receivedSums(newOutputs, keyOf)

  const isVault = ({ output, assetID, source, operation }: NewOutput): boolean => {
    const key = keyOf(output)
    const group = groups.get(key)
    if (group === undefined || !group.isOurs || output.threshold === 0) return false
    switch (source) {
      case 'outputs':
      case 'exportedOutputs': {
        // An attacker can add a UTXO of its own, so that its output seems to be returned. Owners who receive more
        // than they spent are paid.
        const asset = hex.encode(assetID)
        return (received.of(key).get(asset) ?? 0n) <= (group.spent.get(asset) ?? 0n)
      }
      case 'operations':
        return operated[operation!] === key
      case 'initialStates':
        return soleGroup === key
    }
  }
  const outputs = newOutputs.map((item): AttributedOutput => {
    const { outputIndex, assetID, output, source } = item
    const ourOwners =
      ourAddresses === undefined
        ? 0
        : output.addresses.filter((address) => ourAddresses.has(hex.encode(address))).length
    const ownership = isOursAlone(output, ourOwners) ? 'ours' : isVault(item) ? 'vault' : 'payment'
    return { outputIndex, assetID, output, source, ownership, ourOwners }
  })
  return { outputs, groups }
}

type NewOutput = Pick<AttributedOutput, 'outputIndex' | 'assetID' | 'output' | 'source'> & {
  /** Position of the operation that creates it. */
  readonly operation?: number | undefined
}

/** All outputs that a transaction creates, in the order of their indices. */
function newOutputsOf(tx: UnsignedTx): NewOutput[] {
  const unsigned = { unsignedTx: tx, credentials: [] }
  /** For each output of an operation, the position of the operation. */
  const operations =
    tx.type === 'OperationTx'
      ? tx.operations.flatMap(({ operation }, i) => producedOutputs(operation).map(() => i))
      : []
  const first = tx.outputs.length
  return [
    ...createdUTXOs(unsigned, NEW_ASSET).map(({ outputIndex, assetID, output }): NewOutput => {
      const created = { outputIndex, assetID, output }
      if (outputIndex < first) return { ...created, source: 'outputs' }
      if (tx.type !== 'OperationTx') return { ...created, source: 'initialStates' }
      return { ...created, source: 'operations', operation: operations[outputIndex - first]! }
    }),
    ...exportedUTXOs(unsigned, NEW_ASSET).map(
      ({ outputIndex, assetID, output }): NewOutput => ({
        outputIndex,
        assetID,
        output,
        source: 'exportedOutputs',
      }),
    ),
  ]
}

/** How much of each asset each set of owners receives in transfer outputs, not counting newly minted amounts. */
function receivedSums(
  newOutputs: readonly NewOutput[],
  keyOf: (owners: OutputOwners) => string,
): GroupSums {
  const sums = new GroupSums()
  for (const { output, assetID, source } of newOutputs) {
    if (source !== 'outputs' && source !== 'exportedOutputs') continue
    if (output.type !== 'secp256k1fx.TransferOutput') continue
    sums.add(keyOf(output), assetID, output.amount)
  }
  return sums
}

function inputGroups(
  tx: UnsignedTx,
  utxos: readonly (UTXO | undefined)[],
  ourAddresses: ReadonlySet<string> | undefined,
  keyOf: (owners: OutputOwners) => string,
): Map<string, InputGroup> {
  const spent = new GroupSums()
  const groups = new Map<string, InputGroup>()
  const spends = spendsOf(tx)
  utxos.forEach((utxo, i) => {
    if (utxo === undefined) return
    const { output } = utxo
    const key = keyOf(output)
    spent.add(key, utxo.assetID, spends[i]?.amount ?? 0n)
    const group = groups.get(key)
    if (group !== undefined && group.locktime >= output.locktime) return
    groups.set(key, {
      owners: output,
      isOurs:
        group?.isOurs ??
        (ourAddresses === undefined ||
          output.addresses.some((address) => ourAddresses.has(hex.encode(address)))),
      spent: spent.of(key),
      locktime: output.locktime,
    })
  })
  return groups
}

/** For each operation, the key of the owners of the UTXO that it consumes. */
function operationGroups(
  tx: UnsignedTx,
  utxos: readonly (UTXO | undefined)[],
  keyOf: (owners: OutputOwners) => string,
): (string | undefined)[] {
  if (tx.type !== 'OperationTx') return []
  return tx.operations.map((_, i) => {
    const utxo = utxos[tx.inputs.length + i]
    return utxo && keyOf(utxo.output)
  })
}
