import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Child, ended } from './cli/child.ts'
import { devNode } from './cli/shell.ts'
import { promised, root } from './guides/programs.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** The blocks of README of one kind. */
function blocks(kind: string): string[] {
  return Array.from(
    readme.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, 'gms')),
    (m) => m[1]!,
  )
}

/** A folder where the packed package is installed. */
let home: string

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'avmkit-readme-'))
  const packed = spawnSync(
    'npm',
    ['pack', '--offline', '--ignore-scripts', '--pack-destination', home],
    { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' },
  )
  expect(packed.status, packed.stderr).toBe(0)
  const modules = join(home, 'node_modules')
  mkdirSync(join(modules, 'avmkit'), { recursive: true })
  const [tarball] = readdirSync(home).filter((name) => name.endsWith('.tgz'))
  const args = ['-xzf', join(home, tarball!), '-C', join(modules, 'avmkit'), '--strip-components=1']
  expect(spawnSync('tar', args).status).toBe(0)
  const { dependencies, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: { readonly [name: string]: string }
    bin: { readonly avmkit: string }
  }
  for (const name of Object.keys(dependencies)) {
    mkdirSync(join(modules, name, '..'), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  mkdirSync(join(modules, '.bin'))
  symlinkSync(join(modules, 'avmkit', bin.avmkit), join(modules, '.bin/avmkit'))
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

/** A folder for one block, from which the package is found. */
function place(name: string): string {
  const path = join(home, name)
  mkdirSync(path)
  return path
}

describe('the README', () => {
  it('has at most 200 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(200)
  })

  it.each(blocks('js').map((code, i) => [`program ${i + 1}`, code] as const))(
    'has %s, which runs alone, twice, and in the folder of those before it, and prints what it promises',
    async (name, code) => {
      const own = place(name)
      // A newcomer has one folder, and pastes from top to bottom: the commands below run there last.
      for (const path of [own, own, home]) {
        writeFileSync(join(path, 'program.mjs'), code)
        const child = new Child(process.execPath, ['program.mjs'], {}, path)
        const { code: status, out, err } = await ended(child)
        expect([status, err]).toEqual([0, ''])
        const lines = out.split('\n')
        for (const line of promised(code)) expect(lines).toContain(line)
      }
    },
  )

  it('has commands that can be pasted into a shell, which prompt for nothing', async () => {
    const [commands] = blocks('sh').filter((block) => block.includes('avmkit devnode'))
    const node = await devNode()
    const { url } = await node.listen()
    await node.close()
    const env = { XDG_STATE_HOME: home, HOME: home }
    // Commands inherit the shell's input, as when they are pasted: one that reads it swallows those behind it.
    const child = new Child('bash', ['--norc', '-es'], env, home)
    child.process.stdin.end(
      `${commands!.replaceAll('9650', new URL(url).port)}\nwait; echo all commands were run\n`,
    )
    const { code, out, err } = await ended(child)
    expect([code, err]).toEqual([0, ''])
    expect(out.trimEnd().split('\n').at(-1)).toBe('all commands were run')
  })
})
