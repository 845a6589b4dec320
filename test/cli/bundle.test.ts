import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { VERSION } from '../../src/cli/version.ts'
import { Child, ended, MAIN } from './child.ts'
import { BOB, EWOQ, folder } from './shell.ts'

/** Runs the single file in an empty folder, from which no package can be resolved. */
function alone(place: string, argv: readonly string[], env: NodeJS.ProcessEnv = {}): Child {
  copyFileSync(MAIN, join(place, 'avmkit.mjs'))
  return new Child(process.execPath, ['avmkit.mjs', ...argv], { HOME: place, ...env }, place)
}

describe('the single file', () => {
  it('has the version of the package', async () => {
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    expect(VERSION).toBe((JSON.parse(text) as { version: string }).version)
    expect((await ended(alone(folder(), ['--version']))).out).toBe(`${VERSION}\n`)
  })

  it('runs in an empty folder: creates a key, is a node, and pays', async () => {
    const place = folder()
    const made = await ended(alone(place, ['keys', 'new', '--out', 'my.key', '--network', 'local']))
    expect([made.code, made.err]).toEqual([0, ''])
    const me = /^\S+/.exec(made.out)![0]
    const node = alone(place, ['devnode', '--port', '0', '--fund', `${me}=5`])
    const env = { AVMKIT_URL: (await node.says(/url +(\S+)/))[1]! }
    const paid = await ended(alone(place, ['send', BOB, '1', '--yes', '--key-file', 'my.key'], env))
    expect([paid.code, paid.err]).toEqual([0, ''])
    const { out } = await ended(alone(place, ['balance', BOB, '--json'], env))
    expect(JSON.parse(out)).toMatchObject({ assets: [{ spendable: '1000000000' }] })
  })

  it('keeps everything but parsing and definitions out of the part that every command loads', () => {
    const file = readFileSync(MAIN, 'utf8')
    const chunks = JSON.parse(/^const chunks = (\{.*\})$/m.exec(file)![1]!) as {
      readonly [name: string]: string
    }
    // 45 KB when this was written; the whole program has a megabyte.
    expect(chunks['./main.js']!.length).toBeLessThan(100_000)
    expect(Object.keys(chunks).length).toBeGreaterThan(20)
  })

  it('decodes without a network', async () => {
    const { code, out } = await ended(alone(folder(), ['decode', EWOQ, '--json']))
    expect([code, JSON.parse(out)]).toMatchObject([0, { kind: 'address' }])
  })
})
