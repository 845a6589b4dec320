import type { DatabaseClient, DatabasePool } from '../../src/custody/database/database.ts'
import type { SimulatedProcess } from './process.ts'

/** Connections to a database of a process that can crash at every statement. */
export class CrashablePool implements DatabasePool {
  private readonly pool: DatabasePool
  private readonly process: SimulatedProcess
  private readonly taken = new Set<DatabaseClient>()

  constructor(pool: DatabasePool, process: SimulatedProcess) {
    this.pool = pool
    this.process = process
  }

  query: DatabasePool['query'] = (text, values) =>
    this.process.run(() => this.pool.query(text, values))

  async connect(): Promise<DatabaseClient> {
    const { process, taken } = this
    const client = await process.run(async () => {
      const connected = await this.pool.connect()
      // It may have crashed meanwhile.
      if (process.alive) taken.add(connected)
      else connected.release(true)
      return connected
    })
    return {
      query: (text, values) => process.run(() => client.query(text, values)),
      release: (destroy) => {
        if (taken.delete(client)) client.release(destroy)
      },
      on: (event, listener) => client.on(event, listener),
      removeListener: (event, listener) => client.removeListener(event, listener),
    }
  }

  /** The process has ended: the system closes its connections, and the database undoes what is not committed. */
  break(): void {
    for (const client of this.taken) client.release(true)
    this.taken.clear()
  }

  async end(): Promise<void> {
    this.break()
    await this.pool.end()
  }
}
