import { type Check, invalid, object } from '../../core/base/argument.ts'
import type { OthersSnapshot } from '../p-and-c-chains.ts'
import type { AddedSnapshot } from '../x-chain/added-chains.ts'
import type { ChainSnapshot } from '../x-chain/chain.ts'

/** A saved state of a node, for `restore`. */
export type DevNodeSnapshot = {
  /** @internal */
  readonly chain: ChainSnapshot
  /** @internal */
  readonly others: OthersSnapshot
  /** @internal */
  readonly added: AddedSnapshot
  /** @internal */
  readonly records: readonly Uint8Array[]
}

/** The parts of all snapshots and their names: they are opaque, so only their origin can be checked. */
const snapshotParts = /* @__PURE__ */ new WeakMap<object, string>()

/** Not copied, because it may be large. */
function snapshotPart<Name extends keyof DevNodeSnapshot>(
  name: Name,
): Check<DevNodeSnapshot[Name]> {
  return (value, at) => {
    if (snapshotParts.get(value as object) !== name)
      throw invalid(value, at, 'a part of a snapshot')
    return value as DevNodeSnapshot[Name]
  }
}

/** Describes a snapshot. */
export const snapshotArgument: Check<DevNodeSnapshot> = object<DevNodeSnapshot>({
  chain: snapshotPart('chain'),
  others: snapshotPart('others'),
  added: snapshotPart('added'),
  records: snapshotPart('records'),
})

/** Remembers a snapshot, so that `snapshotArgument` accepts it. */
export function noteSnapshot(snapshot: DevNodeSnapshot): DevNodeSnapshot {
  for (const [name, part] of Object.entries(snapshot)) snapshotParts.set(part, name)
  return snapshot
}
