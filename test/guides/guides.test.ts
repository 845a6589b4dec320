import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'node:util'
import { build } from 'esbuild'
import { describe, expect, it, vi } from 'vitest'
import { sourcesOf } from '../../scripts/imports.js'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import { Child, ended } from '../cli/child.ts'
import { cli, devNode, EWOQ_KEY, folder } from '../cli/shell.ts'
import { Mover } from '../core/sign/chains/mover.ts'
import { hasChromium, launch } from '../page/browser.ts'
import {
  blocks,
  docs,
  guidesBut,
  promised,
  root,
  textOf,
  withSources,
  written,
} from './programs.ts'

const MAIN = join(root, 'dist/avmkit.mjs')
// errors.md is generated; custody.md needs a database and has a test of its own.
const guides = guidesBut('errors.md', 'custody.md', 'custody-service.md')

describe('the guides', () => {
  it.each(guides)('%s has programs that print what they promise', async (name) => {
    const code = blocks(name, 'ts').join('\n')
    if (code === '') return
    const path = written(name, code.replaceAll("fileStore('", `fileStore('${folder()}/`))
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await import(/* @vite-ignore */ path)
      expect(log.mock.calls.map((args) => format(...args))).toEqual(promised(code))
    } finally {
      log.mockRestore()
    }
  })

  it('cross-chain.md has a table of commands that draft each leg', async () => {
    const node = await devNode()
    const mover = new Mover(node, new KeyChain([EWOQ_KEY]))
    await mover.export('P', 'X', 1_000_000_000n)
    await mover.export('X', 'P', 1_000_000_000n)
    await mover.export('X', 'C', 1_000_000_000n)
    const commands = [...textOf('cross-chain.md').matchAll(/^\| (?:export|import) .* `(.*)` \|$/gm)]
    expect(commands).toHaveLength(6)
    for (const [, command] of commands) {
      const argv = command!
        .replaceAll('0x…', mover.account)
        .replaceAll(/\b([XPC])-…/g, (_, chain) => mover.addressOn(chain))
        .replace('--out requests', `--out ${join(folder(), 'requests')}`)
        .split(' ')
      const { code, err } = await cli(argv, { node })
      expect([code, err], command).toEqual([0, ''])
    }
  })

  it.each(guides.filter((name) => blocks(name, 'sh').length > 0))(
    '%s has commands that run as typed',
    async (name) => {
      const node = await devNode()
      const { url } = await node.listen()
      await node.close()
      const script = [
        'set -e',
        `npx() { shift; case "$1" in`,
        `  devnode) exec '${process.execPath}' '${MAIN}' "$@" ;;`,
        `  *) '${process.execPath}' '${MAIN}' "$@" ;;`,
        'esac; }',
        // Not every guide starts a node.
        'trap "[ -z \\"\\$!\\" ] || { kill \\$!; wait; }" EXIT',
        blocks(name, 'sh').join('\n').replaceAll('9650', new URL(url).port),
      ].join('\n')
      const place = folder()
      const child = new Child('bash', ['--norc', '-c', script], { XDG_STATE_HOME: place }, place)
      const { code, err } = await ended(child)
      expect([code, err]).toEqual([0, ''])
    },
    120_000,
  )

  it.runIf(hasChromium('the browser program of the guides'))(
    'have programs for browsers that print what they promise',
    async () => {
      const code = blocks('browser-wallet.md', 'ts browser').join('\n')
      const { outputFiles } = await build({
        stdin: { contents: withSources(code, './src'), resolveDir: root, loader: 'ts' },
        alias: sourcesOf('browser'),
        platform: 'browser',
        format: 'esm',
        bundle: true,
        write: false,
      })
      const browser = await launch()
      try {
        const page = await browser.newPage()
        const printed: string[] = []
        page.on('console', (message) => printed.push(message.text()))
        page.on('pageerror', (error) => printed.push(String(error)))
        await page.route('**', (route) =>
          route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
        )
        await page.goto('http://localhost/')
        await page.addScriptTag({ type: 'module', content: outputFiles[0]!.text })
        await expect.poll(() => printed, { timeout: 20_000 }).toEqual(promised(code))
      } finally {
        await browser.close()
      }
    },
  )

  it('are all listed, and link to files that exist', () => {
    const index = textOf('README.md')
    for (const name of guides.filter((other) => other !== 'README.md'))
      expect(index).toContain(`(${name})`)
    for (const name of guidesBut())
      for (const [, target] of textOf(name).matchAll(/\]\((?!https?:)([^)#]+)\)/g))
        expect(existsSync(join(docs, target!)), `${name}: ${target}`).toBe(true)
  })

  it('use only blocks that are executed or that are not programs', () => {
    for (const name of guides) {
      const kinds = Array.from(textOf(name).matchAll(/^```(.*)$/gm), (match) => match[1]!)
      const opening = kinds.filter((_, i) => i % 2 === 0)
      expect(
        opening.filter(
          (kind) => !['ts', 'sh', 'ts browser', 'ts device', 'ts core', 'json', ''].includes(kind),
        ),
      ).toEqual([])
    }
  })
})
