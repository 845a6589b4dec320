import { loadWasmBackend } from '../../src/core/crypto/backends/wasm.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import { openCustody } from '../../src/custody/index.ts'
import { createNodeClient } from '../../src/node/index.ts'

/*
 * A custody worker as a process of its own. It prints the name of each event, and sends itself a signal when an event
 * happens for the n-th time.
 */
export type WorkerSettings = {
  readonly url: string
  readonly database: string
  readonly schema: string
  readonly at?: {
    readonly event: string
    readonly count: number
    readonly signal: 'SIGKILL' | 'SIGSTOP'
  }
  readonly maxBatch?: number
  readonly draftMs?: number
}

const settings = JSON.parse(process.argv[2]!) as WorkerSettings
const backend = await loadWasmBackend()
const keys = new KeyChain([new Uint8Array(32).fill(1)], { backend })
const custody = await openCustody({
  database: settings.database,
  schema: settings.schema,
  client: createNodeClient({ url: settings.url, retry: { retries: 1 } }),
  keys,
  backend,
  limits: {
    maxBatch: settings.maxBatch ?? 10,
    draftMs: settings.draftMs ?? 2_000,
    leaderMs: 1_000,
    resendMs: 300,
  },
  log: async ({ event }) => {
    process.stdout.write(`${event}\n`)
    if (settings.at?.event !== event || ++seen !== settings.at.count) return
    process.kill(process.pid, settings.at.signal)
    // A signal arrives a moment later; nothing may happen until then.
    if (settings.at.signal === 'SIGKILL') await new Promise(() => {})
  },
})
let seen = 0
const controller = new AbortController()
process.once('SIGTERM', () => controller.abort())
await custody.work({ signal: controller.signal })
await custody.close()
