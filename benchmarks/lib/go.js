import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { missing } from '../../conformance/go.js'
import { collect, microsOf } from './harness.js'

const WINDOWS = 12
const WINDOW_MS = 100
const WARM_UP_MS = 1000

/** Why avalanchego's packages cannot be measured here, or undefined. */
export const goIsMissing = missing()

/** A process that measures avalanchego's packages on the data it is given. */
export class GoRival {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'avmkit-bench-go-'))
    const program = join(this.folder, 'bench')
    const cwd = fileURLToPath(new URL('../../conformance', import.meta.url))
    const built = spawnSync('go', ['build', '-o', program, './cmd/bench'], {
      cwd,
      encoding: 'utf8',
    })
    if (built.status !== 0) throw new Error(`go build: ${built.stderr}`)
    this.child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
  }

  async measure(work, texts, millis) {
    this.child.stdin.write(`${JSON.stringify({ work, texts, millis })}\n`)
    const { value, done } = await this.lines.next()
    if (done) throw new Error(`the Go program ended during ${work}`)
    return JSON.parse(value)
  }

  /**
   * Microseconds per call of ours and of Go's, in alternating windows; the best of each counts. Both must give `result`.
   *
   * @param {string} work
   * @param {string[]} texts
   * @param {() => unknown} run
   * @param {string} result
   */
  async contest(work, texts, run, result) {
    const warm = await this.measure(work, texts, 250)
    if (warm.result !== result) throw new Error(`contestants differ on: ${work}`)
    const best = { ours: Number.POSITIVE_INFINITY, rival: Number.POSITIVE_INFINITY }
    // Once only: code is compiled anew after each collection that is forced.
    collect()
    microsOf(run, WARM_UP_MS)
    for (let i = 0; i < WINDOWS; i++) {
      const { micros } = await this.measure(work, texts, WINDOW_MS)
      best.ours = Math.min(best.ours, microsOf(run, WINDOW_MS))
      best.rival = Math.min(best.rival, micros)
    }
    return best
  }

  async close() {
    this.child.stdin.end()
    await once(this.child, 'close')
    rmSync(this.folder, { recursive: true })
  }
}
