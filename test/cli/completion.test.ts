import { execFileSync } from 'node:child_process'
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

describe('completion bash', () => {
  it('offers commands, then those of a group', async () => {
    expect(await offered('de')).toEqual(['decode', 'devnode'])
    expect((await offered('keys', '')).sort()).toEqual(['from-mnemonic', 'new', 'show'])
    expect(await offered('node', 'up')).toEqual(['upgrades', 'uptime'])
  })

  it('offers the options of a command, and the values of one that has choices', async () => {
    expect(await offered('sweep', 'X-local1', '--pl')).toEqual(['--plan'])
    expect(await offered('decode', '--pl')).toEqual([])
    expect(await offered('keys', 'new', '--mn')).toEqual(['--mnemonic'])
    expect(await offered('decode', 'x', '--as', 'u')).toEqual(['unsignedTx', 'utxo'])
  })

  it('offers files where a file is wanted', async () => {
    expect(await offered('keys', 'show', '--key-file', '/us')).toEqual(['/usr'])
    expect(await offered('balance', '--url', '/us')).toEqual([])
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
