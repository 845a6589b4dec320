import { join } from 'node:path'
import { generate } from './generate.js'
import { isMutable, mutate } from './mutate.js'
import { linesOf } from './programs.js'
import { inputOf } from './seeds.js'

// Cases in batches. Those of a round are drawn from a world of their own, whose context comes first.

/** Cases that are sent at once. */
const BATCH = 2000

/** Batches after which the pool gets fresh cases. */
const BATCHES_PER_ROUND = 100

/** Fresh values per generator of the property tests and round. */
const GENERATED = 40

/** The batches of a round. */
export function* batchesOf({ folder, pool, random, roundSeed }) {
  const drawn = linesOf(join(folder, 'cases'), '-seed', String(roundSeed))
  const context = drawn.find(({ what }) => what === 'context')
  // Semantic cases need the transactions that were accepted in their own world.
  pool.clear('semantic')
  const fresh = [...drawn.map(inputOf), ...generate(roundSeed, GENERATED)].filter(isMutable)
  for (const item of fresh) pool.add(item)
  yield [context, ...fresh]
  for (let i = 0; i < BATCHES_PER_ROUND; i++)
    yield Array.from({ length: BATCH }, () => mutate(random, ...pool.pair()))
}

/** The seed of a round. */
export function roundSeedOf(seed, round) {
  return (seed + round) % 2 ** 31
}
