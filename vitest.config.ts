import { availableParallelism } from 'node:os'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { sourcesOf } from './scripts/imports.js'

const config: ViteUserConfig = defineConfig({
  // In the package, `imports` of package.json leads to what was built.
  resolve: { alias: sourcesOf('node') },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/helpers/setup.ts'],
    globalSetup: ['test/custody/global-setup.ts'],
    reporters: ['default', './test/helpers/summary.ts'],
    testTimeout: 240_000,
    // Browsers on a busy machine take longer than the default of a second.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 240_000,
    // Many tests wait for timers, processes, browsers or a database: with a worker per core, cores would be idle.
    maxWorkers: 2 + availableParallelism(),
    // Files share their modules: importing them anew took a third of the whole run. Tests restore the globals they change.
    isolate: false,
    // More space for young objects: collecting them took a fifth of the processor time.
    execArgv: ['--max-semi-space-size=96'],
  },
})

export default config
