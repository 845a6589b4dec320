import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

/**
 * Times contestants against each other. Their windows take turns, so that whatever else the machine does
 * meets all of them; of each the best window counts, the one least disturbed.
 *
 * @param {Record<string, () => unknown>} contestants
 * @param {{ windowMs?: number, windows?: number, warmUpMs?: number }} [options]
 * @returns {Record<string, number>} microseconds per call
 */
export function time(contestants, { windowMs = 40, windows = 12, warmUpMs = 250 } = {}) {
  const best = {}
  // Collect the garbage of earlier rows first, so that it is not counted here.
  collect()
  for (const [name, run] of Object.entries(contestants)) {
    best[name] = Number.POSITIVE_INFINITY
    const start = performance.now()
    do run()
    while (performance.now() - start < warmUpMs)
  }
  for (let i = 0; i < windows; i++)
    for (const [name, run] of Object.entries(contestants)) {
      const start = performance.now()
      let calls = 0
      let elapsed = 0
      do {
        run()
        calls++
        elapsed = performance.now() - start
      } while (elapsed < windowMs)
      best[name] = Math.min(best[name], (1000 * elapsed) / calls)
    }
  return best
}

/** Throws unless all contestants made the same bytes. */
export function assertSame(what, ...results) {
  const texts = results.map((bytes) => Buffer.from(bytes).toString('hex'))
  if (texts.some((text) => text !== texts[0])) throw new Error(`contestants differ on: ${what}`)
}

/**
 * A row of the table. `atLeast`: how many times faster than the rival ours must be. `atMost`: how many
 * times the rival's cost ours may be. `limit`: what ours may cost at most, in `unit`. With none of these
 * the row only informs; `cost` then tells the ratio as that of costs.
 *
 * @param {{ name: string, unit: string, ours: number, rival?: number, rivalName?: string,
 *   atLeast?: number, atMost?: number, limit?: number, cost?: boolean }} facts
 */
export function row({ name, unit, ours, rival, rivalName, atLeast, atMost, limit, cost }) {
  const ofCosts = atMost !== undefined || cost === true
  const ratio = rival === undefined ? null : ofCosts ? ours / rival : rival / ours
  const [bound, holds, boundText] =
    atLeast !== undefined
      ? [atLeast, ratio >= atLeast, `≥ ${atLeast}`]
      : atMost !== undefined
        ? [atMost, ratio <= atMost, `≤ ${atMost}`]
        : limit !== undefined
          ? [limit, ours <= limit, `≤ ${limit} ${unit}`]
          : [null, true, '']
  const printed = {
    name,
    unit,
    ours: round(ours),
    rival: rival === undefined ? null : round(rival),
    rivalName: rivalName ?? null,
    ratio: ratio === null ? null : round(ratio),
    bound,
    holds,
  }
  return { printed, boundText }
}

function round(value) {
  return Number(value.toPrecision(4))
}

/** Bytes that the result of `make` keeps alive, on the heap and in array buffers. */
export function memoryOf(make) {
  const used = () => {
    collect()
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const before = used()
  const kept = make()
  const after = used()
  return { bytes: after - before, kept }
}
