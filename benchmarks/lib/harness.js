import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
export const collect = runInNewContext('gc')

/**
 * Measures contestants against each other. Their time windows alternate, so that other load of the machine affects all
 * of them; the best window of each counts.
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
    microsOf(run, warmUpMs)
  }
  for (let i = 0; i < windows; i++)
    for (const [name, run] of Object.entries(contestants))
      best[name] = Math.min(best[name], microsOf(run, windowMs))
  return best
}

/** Microseconds per call in a window of time. */
export function microsOf(run, millis) {
  const start = performance.now()
  let calls = 0
  let elapsed = 0
  do {
    run()
    calls++
    elapsed = performance.now() - start
  } while (elapsed < millis)
  return (1000 * elapsed) / calls
}

/** Throws unless all contestants produced the same bytes. */
export function assertSame(what, ...results) {
  const texts = results.map((bytes) => Buffer.from(bytes).toString('hex'))
  if (texts.some((text) => text !== texts[0])) throw new Error(`contestants differ on: ${what}`)
}

/**
 * A row of the table. `atLeast`: minimum of rival/ours. `atMost`: maximum of ours/rival. `limit`: maximum of ours, in
 * `unit`. A row without any of these has no bound; its ratio is rival/ours, or with `cost` ours/rival.
 *
 * @param {{ name: string, unit: string, ours: number, rival?: number, rivalName?: string,
 *   atLeast?: number, atMost?: number, limit?: number, cost?: boolean }} details
 */
export function row({ name, unit, ours, rival, rivalName, atLeast, atMost, limit, cost }) {
  const formula = atMost !== undefined || cost === true ? 'ours/rival' : 'rival/ours'
  const ratio = rival === undefined ? null : formula === 'ours/rival' ? ours / rival : rival / ours
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
  return { printed, boundText, formula: ratio === null ? '' : formula }
}

function round(value) {
  return Number(value.toPrecision(4))
}

/** Bytes that the result of `make` keeps alive. */
export async function memoryOf(make) {
  const before = bytesHeld()
  const kept = await make()
  return { bytes: bytesHeld() - before, kept }
}

/** Bytes that are in use after a collection, on the heap and in array buffers. */
export function bytesHeld() {
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
