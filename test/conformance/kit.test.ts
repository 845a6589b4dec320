import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const pathOf = (path: string) =>
  fileURLToPath(new URL(`../../conformance/${path}`, import.meta.url))

/** Runs a script of the conformance folder. Only `node` is on the PATH if `path` is given. */
function run(script: string, args: readonly string[], path = process.env.PATH) {
  return spawnSync(process.execPath, [pathOf(script), ...args], {
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  })
}

describe('the conformance kit', () => {
  it('gives this library every point', () => {
    const { status, stdout } = run('kit/run.js', [
      process.execPath,
      pathOf('kit/adapters/avmkit.js'),
    ])
    const rows = stdout.split('\n').filter((line) => /^\| [XPCIsaf].* \| +\d/.test(line))
    expect(rows.length).toBeGreaterThan(15)
    expect(rows.filter((row) => !row.endsWith('| 100 % |'))).toEqual([])
    expect(status).toBe(0)
  })

  it('finds what an implementation that accepts everything does wrong', () => {
    const program =
      "require('node:readline').createInterface({ input: process.stdin }).on('line', () => console.log('{\"ok\":true}'))"
    const { status, stdout } = run('kit/run.js', [process.execPath, '-e', program])
    expect(status).toBe(1)
    expect(stdout).toContain('X-Chain transactions, tx-')
    expect(stdout).toMatch(/\| X-Chain rules without state \| 60 \| 50 % \|/)
  })
})

it('agrees with the node on the cases that were found by fuzzing', () => {
  const { status, stdout } = run('differential/replay.js', [])
  expect(stdout).toMatch(/^\d{3,} cases, 0 differing\n$/)
  expect(status).toBe(0)
})

describe('commands that need Go', () => {
  for (const [script, command] of [
    ['run.js', 'npm run vectors'],
    ['kit/run.js', 'npm run conformance'],
    ['differential/run.js', 'npm run test:differential'],
    ['differential/search.js', 'npm run test:corpus'],
  ] as const)
    it(`${command} says that it is missing`, () => {
      const { status, stderr } = run(script, [], '/nonexistent')
      expect(status).toBe(1)
      expect(stderr).toMatch(
        new RegExp(`^${command} needs Go 1\\.\\d+\\.\\d+ or later: no command "go" on the PATH`),
      )
    })
})
