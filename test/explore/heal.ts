import { utxoKey } from '../../src/core/chain/x/ids.ts'
import { begin, type Choice, draftsOf, effectOf, perform } from './shell.ts'
import type { Call, World } from './world.ts'

/** Maximum number of rounds until every payment has ended. */
const MAX_ROUNDS = 200

/**
 * Lets a world go on without faults: servers are honest and forward what they get, valid transactions are accepted, and
 * payments that no call waits for are resumed. Returns whether every payment ends.
 *
 * @param healing - essences of worlds that are known to end; those on the way to an end are added
 */
export function heal(from: World, healing: Set<string>): boolean {
  const world = from.copy()
  const passed = new Set<string>()
  const ends = () => {
    for (const essence of passed) healing.add(essence)
    return true
  }
  for (const call of world.calls) call.isOver = false
  world.maxTxs = Number.POSITIVE_INFINITY
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { essence } = world
    if (healing.has(essence)) return ends()
    passed.add(essence)
    for (const n of world.accepted) if (world.isNews(n)) world.show(n)
    const valid = [...world.pool].find((n) => world.isValid(n))
    if (valid !== undefined) world.accepted = new Set([...world.accepted, valid])
    for (const call of [...world.calls])
      if (world.calls.includes(call)) perform(world, call, choiceFor(world, call))
    if (world.calls.length > 0) continue
    const [group] = world.store.groups()
    if (group === undefined) return ends()
    begin(
      world,
      'complete',
      group.payments.map(({ key }) => key),
    )
  }
  return isExcused(from)
}

function choiceFor(world: World, call: Call): Choice {
  const effect = effectOf(world, call)
  const exists = world.utxosAfter(world.accepted)
  switch (effect.do) {
    case 'draft':
      return {
        inputs: draftsOf(world, effect).find((inputs) =>
          inputs.every((id) => exists.has(utxoKey(id))),
        ),
      }
    case 'issue': {
      const n = world.numberOf(effect.attempt.txID)
      const isTaken = world.accepted.has(n) || world.isValid(n)
      return { reply: isTaken ? 'taken' : 'not found' }
    }
    case 'compare':
      return { isOutdated: !effect.attempt.inputs.every((id) => exists.has(utxoKey(id))) }
    default:
      return {}
  }
}

/**
 * With a quorum of 1, a server can show a payment as accepted that never is. What spends its change then stays pending,
 * because its bytes are not kept.
 */
function isExcused({ bounds, shown, accepted, txs }: World): boolean {
  return (
    bounds.quorum === 1 && [...shown].some((n) => !accepted.has(n) && txs[n]!.kind === 'payment')
  )
}
