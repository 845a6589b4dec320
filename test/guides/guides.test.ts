import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'node:util'
import { build } from 'esbuild'
import { describe, expect, it, vi } from 'vitest'
import { Child, ended } from '../cli/child.ts'
import { devNode, folder } from '../cli/shell.ts'
import { hasChromium, launch } from '../page/browser.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const docs = join(root, 'docs')
const MAIN = join(root, 'dist/avmkit.mjs')
/** Those with tests of their own. */
const OTHERS = ['errors.md', 'custody.md']
const guides = readdirSync(docs).filter((name) => name.endsWith('.md') && !OTHERS.includes(name))
const textOf = (name: string) => readFileSync(join(docs, name), 'utf8')

/** The blocks of one kind in a guide, as one program. */
function blocks(name: string, kind: string): string {
  const found = textOf(name).matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, 'gms'))
  return Array.from(found, (match) => match[1]!).join('\n')
}

/** What each `console.log(…) // …` of a program says that it prints. */
function promised(code: string): string[] {
  return Array.from(code.matchAll(/^ *console\.log\(.*\) \/\/ (.*)$/gm), (match) => match[1]!)
}

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: { readonly [entry: string]: { readonly default: string } | string }
}

/** The code with imports of the package that lead to its sources. */
function withSources(code: string, src: string): string {
  return code.replace(/from '(avmkit[^']*)'/g, (_, specifier: string) => {
    const target = exports[specifier.replace(/^avmkit/, '.')]
    if (target === undefined || typeof target === 'string') throw new Error(`no entry ${specifier}`)
    return `from '${target.default.replace('./dist', src).replace(/\.js$/, '.ts')}'`
  })
}

describe('the guides', () => {
  it.each(guides)('%s has programs that print what they promise', async (name) => {
    const code = blocks(name, 'ts')
    if (code === '') return
    const path = join(root, 'test/.generated', `guide-${name.replace('.md', '.ts')}`)
    mkdirSync(join(root, 'test/.generated'), { recursive: true })
    const files = code.replaceAll("fileStore('", `fileStore('${folder()}/`)
    writeFileSync(path, withSources(files, '../../src'))
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await import(/* @vite-ignore */ path)
      expect(log.mock.calls.map((args) => format(...args))).toEqual(promised(code))
    } finally {
      log.mockRestore()
    }
  })

  it.each(guides.filter((name) => blocks(name, 'sh') !== ''))(
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
        'trap "kill \\$!; wait" EXIT',
        blocks(name, 'sh').replaceAll('9650', new URL(url).port),
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
      const code = blocks('browser-wallet.md', 'ts browser')
      const { outputFiles } = await build({
        stdin: { contents: withSources(code, './src'), resolveDir: root, loader: 'ts' },
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
    for (const name of guides)
      for (const [, target] of textOf(name).matchAll(/\]\((?!https?:)([^)#]+)\)/g))
        expect(() => readdirSync(join(docs, target!, '..')), `${name}: ${target}`).not.toThrow()
  })

  it('use only blocks that are executed or that are not programs', () => {
    for (const name of guides) {
      const kinds = Array.from(textOf(name).matchAll(/^```(.*)$/gm), (match) => match[1]!)
      const opening = kinds.filter((_, i) => i % 2 === 0)
      expect(
        opening.filter((kind) => !['ts', 'sh', 'ts browser', 'json', ''].includes(kind)),
      ).toEqual([])
    }
  })
})
