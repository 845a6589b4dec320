import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/table.ts'
import { cli } from './shell.ts'

const script = async (shell: string) => {
  const { code, out } = await cli(['completion', shell])
  expect(code).toBe(0)
  return out
}

/** What bash would offer behind these words. */
async function offered(...words: string[]): Promise<string[]> {
  const lines = [
    await script('bash'),
    `COMP_WORDS=(${['avmkit', ...words].map((word) => `'${word}'`).join(' ')})`,
    `COMP_CWORD=${words.length}`,
    '_avmkit',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own braces
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ]
  const out = execFileSync('bash', ['-c', lines.join('\n')], { encoding: 'utf8', cwd: '/' })
  return out.split('\n').filter((word) => word !== '')
}

const KEYS = ['change-password', 'export', 'from-mnemonic', 'import', 'new', 'show']

describe('completion bash', () => {
  it('offers commands, then those of a group', async () => {
    expect(await offered('de')).toEqual(['decode', 'devnode'])
    expect((await offered('keys', '')).sort()).toEqual(KEYS)
    expect(await offered('node', 'up')).toEqual(['upgrades', 'uptime'])
    expect(await offered('he')).toEqual(['help'])
    expect(await offered('help', 'de')).toEqual(['decode', 'devnode'])
    expect(await offered('help', 'node', 'up')).toEqual(['upgrades', 'uptime'])
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    expect((await offered('journal', 'c')).sort()).toEqual(['cancel', 'compact'])
  })

  it('offers the options of a command, and the values of one that has choices', async () => {
    expect(await offered('sweep', 'X-local1', '--pl')).toEqual(['--plan'])
    expect(await offered('decode', '--pl')).toEqual([])
    expect(await offered('keys', 'new', '--mn')).toEqual(['--mnemonic'])
    expect(await offered('decode', 'x', '--as', 'u')).toEqual(['unsignedTx', 'utxo'])
    expect(await offered('journal', 'list', '--status', 'p')).toEqual(['pending'])
    expect(await offered('balance', '--network', 'f')).toEqual(['fuji'])
    expect(await offered('devnode', 'fault', 'la')).toEqual(['latency'])
    expect(await offered('devnode', 'export-from', '')).toEqual(['P', 'C'])
  })

  it('offers files where a file is wanted', async () => {
    expect(await offered('keys', 'show', '--key-file', '/us')).toEqual(['/usr'])
    expect(await offered('balance', '--url', '/us')).toEqual([])
  })
})

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0

describe.skipIf(!isInstalled('fish'))('completion fish', () => {
  it.each([
    ['avmkit de', ['decode', 'devnode']],
    ['avmkit keys ', KEYS],
    ['avmkit sweep X-local1 --pl', ['--plan']],
    ['avmkit decode --pl', []],
    ['avmkit decode x --as u', ['unsignedTx', 'utxo']],
    ['avmkit he', ['help']],
    ['avmkit help de', ['decode', 'devnode']],
    ['avmkit help node up', ['upgrades', 'uptime']],
    ['avmkit completion ', ['bash', 'fish', 'zsh']],
    ['avmkit request sign /us', ['/usr/']],
    ['avmkit balance /us', []],
  ])('offers what fits behind %j', async (line, expected) => {
    const program = `source (echo $argv[1] | psub); complete -C $argv[2]`
    const argv = ['--no-config', '-c', program, await script('fish'), line]
    const out = execFileSync('fish', argv, { encoding: 'utf8' })
    const words = out.split('\n').filter((text) => text !== '')
    expect(words.map((text) => text.split('\t')[0])).toEqual(expected)
  })
})

describe.skipIf(!isInstalled('zsh'))('completion zsh', () => {
  it('is a script that zsh can read', async () => {
    const read = spawnSync('zsh', ['-n'], { input: await script('zsh'), encoding: 'utf8' })
    expect([read.status, read.stderr]).toEqual([0, ''])
  })
})

describe('completion', () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    it(`for ${shell} knows every command and option`, async () => {
      const text = await script(shell)
      for (const { name, options } of commands) {
        for (const word of name.split(' ')) expect(text).toContain(word)
        for (const option of Object.keys(options))
          expect(text).toContain(shell === 'fish' ? ` -l ${option}` : `--${option}`)
      }
    })
})
