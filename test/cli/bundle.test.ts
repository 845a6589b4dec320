import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { VERSION } from '../../src/cli/version.ts'
import { vectors } from '../helpers/vectors.ts'
import { Child, ended, MAIN } from './child.ts'
import { BOB, EWOQ, EWOQ_KEY, folder } from './shell.ts'

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

  it('loads only what a command uses: parsing for --version, the codec for decode', async () => {
    const place = folder()
    const text = readFileSync(MAIN, 'utf8')
    // Prints the name of every chunk as it is loaded.
    const traced = text.replace(
      '  loaded.set(name, module)\n',
      '$&  console.error(name, places[name])\n',
    )
    expect(traced).not.toBe(text)
    writeFileSync(join(place, 'traced.mjs'), traced)
    const sizeOf = async (...argv: string[]) => {
      const { code, err } = await ended(new Child('node', ['traced.mjs', ...argv], {}, place))
      expect(code).toBe(0)
      const places = [...err.matchAll(/^\.\/\S+ \[ (\d+), (\d+) \]$/gm)]
      return places.reduce((sum, [, from, to]) => sum + Number(to) - Number(from), 0)
    }
    // 105, 319 and 523 KB of 2.5 MB when this was written; explaining a transaction verifies its signatures.
    expect(await sizeOf('--version')).toBeLessThan(120_000)
    expect(await sizeOf('decode', EWOQ)).toBeLessThan(325_000)
    const [tx] = vectors<{ bytesHex: string }[]>('signed-txs.json')
    expect(await sizeOf('decode', tx!.bytesHex)).toBeLessThan(530_000)
  })

  it('calls functions of other chunks without getters, which made scrypt 15 times slower', async () => {
    const place = folder()
    const text = readFileSync(MAIN, 'utf8')
    // Prints the name of every function that the chunks get through a getter.
    const traced = text.replace(
      "load('./main.js')\n",
      `$&process.on('exit', () => {
        for (const { exports } of loaded.values())
          for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(exports)))
            if (typeof get?.() === 'function') console.error(name)
        console.error(loaded.size, 'chunks')
      })\n`,
    )
    expect(traced).not.toBe(text)
    writeFileSync(join(place, 'traced.mjs'), traced)
    writeFileSync(join(place, 'my.key'), EWOQ_KEY, { mode: 0o600 })
    const argv = ['traced.mjs', 'keys', 'show', '--key-file', 'my.key']
    const { code, err } = await ended(new Child('node', argv, {}, place))
    expect([code, err]).toEqual([0, expect.stringMatching(/^\d{2,} chunks\n$/)])
  })

  it('decodes without a network', async () => {
    const { code, out } = await ended(alone(folder(), ['decode', EWOQ, '--json']))
    expect([code, JSON.parse(out)]).toMatchObject([0, { kind: 'address' }])
  })
})
