import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { missing } from '../../conformance/go.js'
import { time } from './harness.js'

const WINDOWS = 12
const WINDOW_MS = 100

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
    for (let i = 0; i < WINDOWS; i++) {
      const { ours } = time(
        { ours: run },
        { windows: 1, windowMs: WINDOW_MS, warmUpMs: i === 0 ? 1000 : 0 },
      )
      const { micros } = await this.measure(work, texts, WINDOW_MS)
      best.ours = Math.min(best.ours, ours)
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
