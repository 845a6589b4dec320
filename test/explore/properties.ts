import { utxoKey } from '../../src/core/chain/x/ids.ts'
import { heal } from './heal.ts'
import type { World } from './world.ts'

/**
 * What is violated in a world; undefined if nothing is.
 *
 * @param healing - hashes of what is known to end; those of further worlds are added
 */
export function violationIn(world: World, healing: Set<string>): string | undefined {
  return (
    paidTwice(world) ??
    falseOutcome(world) ??
    unownedReservation(world) ??
    neverEnds(world, healing)
  )
}

/** With a quorum of 1, a server can tell that a payment was rejected; whoever then asks for it again has decided that. */
function paidTwice(world: World): string | undefined {
  const { bounds, decided } = world
  const paid = world.paid().filter((key) => bounds.quorum > 1 || !decided.has(key))
  const twice = paid.find((key, i) => paid.indexOf(key) < i)
  return twice && `${twice} is paid twice`
}

/** With a quorum of 1, a server can show a transaction as accepted that is not. */
function falseOutcome(world: World): string | undefined {
  if (world.bounds.quorum === 1) return undefined
  const paid = new Set(world.paid())
  for (const [key, { status, txID }] of world.reports) {
    const n = world.numberOf(txID)
    if (!world.accepted.has(n)) return `${key} is reported as ${status} by t${n}, which is pending`
    if (paid.has(key) !== (status === 'accepted')) return `${key} is reported as ${status}`
  }
  return undefined
}

/** Every reserved UTXO is an input of an attempt that is pending in the wallet. */
function unownedReservation({ pending, reserved }: World): string | undefined {
  const attempts = [...pending.claims.attempts.values()]
  const owned = new Set(attempts.flatMap(({ inputs }) => inputs.map(utxoKey)))
  if (owned.size === reserved.size && [...reserved].every((name) => owned.has(name)))
    return undefined
  return 'a reservation has no owner, or an attempt none'
}

/** Once faults stop, every payment ends. */
function neverEnds(world: World, healing: Set<string>): string | undefined {
  const { essence } = world
  if (healing.has(essence)) return undefined
  if (!heal(world, healing)) return 'a payment never ends'
  healing.add(essence)
  return undefined
}
