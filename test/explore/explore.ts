import { utxoKey } from '../../src/core/chain/x/ids.ts'
import { deepCopy } from './copy.ts'
import { coin } from './model-tx.ts'
import { violationIn } from './properties.ts'
import { begin, draftsOf, effectOf, perform, type Reply, settle } from './shell.ts'
import { Visited } from './visited.ts'
import { type Bounds, type Call, World } from './world.ts'

/** Something that may happen next. */
type Step = { readonly label: string; readonly apply: (world: World) => void }

/** Result of an exploration. */
export type Explored = {
  readonly states: number
  /** What is violated, and the shortest way to it. */
  readonly violation: { readonly what: string; readonly path: readonly string[] } | undefined
}

/** Visits all worlds that can be reached within bounds, the nearest ones first. */
export function explore(bounds: Bounds): Explored {
  const visited = new Visited()
  const healing = new Set<string>()
  const first = new World(bounds)
  visited.add(first, undefined, '')
  let frontier: World[] = [first]
  while (frontier.length > 0) {
    const further: World[] = []
    // Worlds are given up once they were visited: those of one distance would take gigabytes.
    for (let world = frontier.pop(); world !== undefined; world = frontier.pop()) {
      const before = visited.numberOf(world)
      for (const { label, apply } of stepsOf(world)) {
        const after = world.copy()
        apply(after)
        settle(after)
        if (!visited.add(after, before, label)) continue
        for (const one of isUnseen(bounds) ? withAcceptances(after) : [after]) {
          const what = violationIn(one, healing)
          if (what === undefined) continue
          const accepted = isUnseen(bounds) ? [...one.accepted].map((n) => `accept t${n}`) : []
          const path = [...visited.pathTo(after), ...accepted]
          return { states: visited.size, violation: { what, path } }
        }
        further.push(after)
      }
    }
    frontier = further
    if (process.env.EXPLORE_PROGRESS) process.stderr.write(`${visited.size} ${further.length}\n`)
  }
  return { states: visited.size, violation: undefined }
}

/**
 * Whether it does not matter when the chain accepts a transaction, so that this is no step between others: nobody notices
 * before the wallet is shown it. A wallet that believes one server is shown whatever was sent to that; otherwise what it is
 * shown was accepted just before, with what that descends from. Only fences depend on what nobody was shown.
 */
function isUnseen({ restores }: Bounds): boolean {
  return restores === 0
}

/** A world with everything that its chain may have accepted. */
function withAcceptances(world: World): World[] {
  const all = new Map([['', world]])
  for (const one of all.values())
    for (const n of one.pool) {
      if (!one.isValid(n)) continue
      const accepted = [...one.accepted, n].sort((a, b) => a - b)
      const after = one.copy()
      after.accepted = new Set(accepted)
      if (!all.has(accepted.join())) all.set(accepted.join(), after)
    }
  return [...all.values()]
}

/**
 * Everything that may happen next. What an attempt is compared with concerns only its call, and if something decides the
 * attempt before, the call does what it does if the attempt was found outdated: so nothing else is tried before.
 */
function stepsOf(world: World): Step[] {
  const at = world.calls.findIndex((call) => effectOf(world, call).do === 'compare')
  if (at >= 0) return stepsOfCall(world, world.calls[at]!, at)
  return [
    ...callsThatBegin(world),
    ...world.calls.flatMap((call, at) => stepsOfCall(world, call, at)),
    ...stepsOfChain(world),
    ...foreignSpends(world),
    ...faults(world),
  ]
}

function callsThatBegin({ bounds, calls, left }: World): Step[] {
  if (left.calls === 0) return []
  const isFree = (goal: string) => !calls.some((call) => call.goal === goal)
  const step = (kind: 'pay' | 'cancel', keys: readonly string[]): Step => ({
    label: `${kind} ${keys.join('+')}`,
    apply: (world) => {
      world.left = { ...world.left, calls: world.left.calls - 1 }
      begin(world, kind, keys)
    },
  })
  // Calls with the same key wait for each other, except those that cancel.
  const busy = new Set(
    calls
      .filter(({ run }) => run.goal.kind === 'pay')
      .flatMap(({ run }) => run.payments.map(({ key }) => key)),
  )
  return [
    ...bounds.pays
      .filter((keys) => !keys.some((key) => busy.has(key)))
      .map((keys) => step('pay', keys)),
    ...bounds.cancels.filter((key) => isFree(`cancel ${key}`)).map((key) => step('cancel', [key])),
  ]
}

function stepsOfCall(world: World, call: Call, at: number): Step[] {
  const effect = effectOf(world, call)
  const step = (label: string, choice: Parameters<typeof perform>[2]): Step => ({
    label: `${call.goal}: ${effect.do}${label}`,
    apply: (after) => perform(after, after.calls[at]!, choice),
  })
  const over: Step[] =
    call.isOver || effect.do !== 'issue'
      ? []
      : [
          {
            label: `${call.goal}: time is over`,
            apply: (after) => {
              after.calls[at]!.isOver = true
            },
          },
        ]
  switch (effect.do) {
    case 'draft': {
      const drafts = draftsOf(world, effect)
      const steps = drafts.map((inputs, i) => step(` ${i}`, { inputs }))
      return [...over, ...(steps.length > 0 ? steps : [step(' fails', {})])]
    }
    case 'issue': {
      const replies: Reply[] = ['taken', 'lost', 'refused']
      return [...over, ...replies.map((reply) => step(` ${reply}`, { reply }))]
    }
    case 'compare':
      return [true, false].map((isOutdated) => step(` ${isOutdated}`, { isOutdated }))
    default:
      return [...over, step('', {})]
  }
}

/** A transaction is accepted, or the wallet is shown one: a true one, or any that was sent, if it believes one server. */
function stepsOfChain(world: World): Step[] {
  const { pool, accepted, bounds } = world
  const isLate = isUnseen(bounds)
  const valid = isLate ? [] : [...pool].filter((n) => world.isValid(n))
  const isBelieved = (n: number) => bounds.quorum === 1 || accepted.has(n)
  const showable = [...pool].filter((n) => world.isNews(n))
  return [
    ...valid.map(
      (n): Step => ({
        label: `accept t${n}`,
        apply: (after) => {
          after.accepted = new Set([...after.accepted, n])
        },
      }),
    ),
    ...showable
      .filter((n) => isBelieved(n) || (isLate && world.acceptedWith(n) !== undefined))
      .map((n) => showing(n)),
  ]
}

/** The wallet is shown a transaction. If it believes no single server, that is accepted now at the latest. */
function showing(n: number): Step {
  return {
    label: `show t${n}`,
    apply: (world) => {
      if (world.bounds.quorum > 1) world.accepted = world.acceptedWith(n) ?? world.accepted
      world.show(n)
    },
  }
}

/**
 * Another holder of the keys spends a coin: to the wallet, or to others only. If it does not matter when that is accepted, the
 * wallet is shown it at once, except that one server may list outputs for the wallet before.
 */
function foreignSpends({ left, bounds, accepted, txs }: World): Step[] {
  if (left.foreign === 0) return []
  const spent = new Set([...accepted].flatMap((n) => txs[n]!.inputs.map(utxoKey)))
  const coins = Array.from({ length: bounds.coins }, (_, at) => at)
  const unspent = coins.filter((at) => !spent.has(utxoKey(coin(at))))
  return unspent.flatMap((at) =>
    [0, 1].map((outputs) => ({
      label: `another holder spends c${at} with ${outputs} outputs`,
      apply: (world) => {
        world.left = { ...world.left, foreign: world.left.foreign - 1 }
        const n = world.sign('foreign', [], [coin(at)], outputs)
        world.pool = new Set([...world.pool, n])
        if (isUnseen(bounds) && (bounds.quorum > 1 || outputs === 0)) showing(n).apply(world)
      },
    })),
  )
}

function faults({ left, backup, txs }: World): Step[] {
  const crash: Step = {
    label: 'crash',
    apply: (world) => {
      world.left = { ...world.left, crashes: world.left.crashes - 1 }
      world.restart()
    },
  }
  const backUp: Step = {
    label: 'back up',
    apply: (world) => {
      world.backup = deepCopy(world.store)
    },
  }
  const restore: Step = {
    label: 'restore',
    apply: (world) => {
      world.left = { ...world.left, restores: world.left.restores - 1 }
      world.restoreBackup()
    },
  }
  const mayRestore = left.restores > 0 && backup !== undefined
  return [
    ...(left.crashes > 0 ? [crash] : []),
    ...(left.restores > 0 && backup === undefined && txs.length > 0 ? [backUp] : []),
    ...(mayRestore ? [restore] : []),
  ]
}
