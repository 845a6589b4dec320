import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestProject } from 'vitest/node'
import { stopServer } from '../../scripts/postgres.js'

declare module 'vitest' {
  interface ProvidedContext {
    postgresFolder: string
  }
}

/** One PostgreSQL server for all test files. The first file that needs it starts it; it is stopped here. */
export default function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-postgres-'))
  project.provide('postgresFolder', folder)
  return async () => {
    const info = join(folder, 'server.json')
    if (existsSync(info)) {
      console.log(`\ncustody tests ran on ${JSON.parse(readFileSync(info, 'utf8')).name}`)
      stopServer(folder)
      const pid = join(folder, 'data', 'postmaster.pid')
      for (let tries = 0; existsSync(pid) && tries < 200; tries++) await sleep(50)
    }
    rmSync(folder, { recursive: true, force: true })
  }
}
