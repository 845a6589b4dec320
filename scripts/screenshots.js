import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Writes a picture of every state of the offline page and of the web wallet, light, dark and narrow, to `screenshots`,
// or to the folder that is named. The tests that take them also check each state with axe.

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = process.argv[2] ?? `${root}screenshots`
mkdirSync(folder, { recursive: true })
const { status } = spawnSync(
  process.execPath,
  [`${root}node_modules/vitest/vitest.mjs`, 'run', 'test/page/states'],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      AVMKIT_SCREENSHOTS: folder,
      AVMKIT_TEST_ALL: '1',
      AVMKIT_REQUIRE_CHROMIUM: '1',
    },
  },
)
console.log(`${readdirSync(folder).length} pictures in ${folder}`)
process.exit(status ?? 1)
