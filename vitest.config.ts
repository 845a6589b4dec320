import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/helpers/setup.ts'],
    reporters: ['default', './test/helpers/summary.ts'],
    testTimeout: 60_000,
  },
})

export default config
