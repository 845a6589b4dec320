import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/table.ts'
import { cli, folder } from './shell.ts'

const script = async (shell: string) => {
  const { code, out } = await cli(['completion', shell])
  expect(code).toBe(0)
  return out
}

/** The completions that bash offers after these words. */
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
    expect(await offered('node', 'se')).toEqual(['servers'])
    expect(await offered('he')).toEqual(['help'])
    expect(await offered('help', 'de')).toEqual(['decode', 'devnode'])
    expect(await offered('help', 'node', 'up')).toEqual(['upgrades', 'uptime'])
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    expect((await offered('journal', 'c')).sort()).toEqual(['cancel', 'compact'])
    expect((await offered('journal', 're')).sort()).toEqual(['recover', 'resume'])
  })

  it('offers the options of a command, and the values of one that has choices', async () => {
    expect(await offered('sweep', 'X-local1', '--pl')).toEqual(['--plan'])
    expect(await offered('decode', '--pl')).toEqual([])
    expect(await offered('journal', 'recover', '--f')).toEqual(['--from-height', '--fence'])
    for (const words of [['send'], ['export'], ['move'], ['payout'], ['nft', 'mint']])
      expect(await offered(...words, 'x', '--ag')).toEqual(['--again'])
    expect(await offered('sweep', 'x', '--ag')).toEqual([])
    expect(await offered('balance', '--qu')).toEqual(['--quorum'])
    expect(await offered('rpc', 'x', '--qu')).toEqual([])
    expect(await offered('keys', 'new', '--mn')).toEqual(['--mnemonic'])
    expect(await offered('decode', 'x', '--as', 'u')).toEqual(['unsignedTx', 'utxo'])
    expect(await offered('journal', 'list', '--status', 'p')).toEqual(['pending'])
    expect(await offered('balance', '--network', 'f')).toEqual(['fuji'])
    expect(await offered('devnode', 'fault', 'la')).toEqual(['latency'])
    expect(await offered('devnode', 'export-from', '')).toEqual(['P', 'C'])
    expect(await offered('devnode', 'fault', 'cut', '--o')).toEqual(['--on'])
  })

  it('offers the values that an option has in this command', async () => {
    expect(await offered('devnode', 'mine', '--chain', '')).toEqual(['X', 'P', 'C'])
    expect(await offered('balance', '--chain', '')).toEqual(['X', 'P', 'C', 'all'])
    expect(await offered('send', 'x', '--chain', '')).toEqual([])
    expect(await offered('move', '1', '--from', '')).toEqual(['X', 'P', 'C'])
    expect(await offered('request', 'create', 'x=1', '--from', '')).toEqual([])
    expect(await offered('send', 'x', '1', '--accept', 'UN')).toEqual([
      'UNKNOWN_CHAIN',
      'UNKNOWN_ASSET',
    ])
    // Only signing a request can meet these dangers.
    for (const code of ['DEAD_ADDRESS', 'WRONG_ACCOUNT']) {
      expect(await offered('send', 'x', '1', '--accept', code)).toEqual([])
      expect(await offered('issue', 'x', '--accept', code)).toEqual([])
      expect(await offered('request', 'sign', 'x', '--accept', code)).toEqual([code])
    }
    expect(await offered('request', 'sign', '--accept', 'UNPROVEN_A')).toEqual(['UNPROVEN_ASSET'])
  })

  it('offers files where a file is wanted', async () => {
    expect(await offered('keys', 'show', '--key-file', '/us')).toEqual(['/usr'])
    expect(await offered('balance', '--url', '/us')).toEqual([])
  })
})

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0

/** Command lines, and what zsh and fish must offer, sorted. */
const LINES: readonly (readonly [string, readonly string[]])[] = [
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
  ['avmkit devnode fault la', ['latency']],
  ['avmkit devnode export-from ', ['C', 'P']],
  ['avmkit devnode fault --bl', []],
  ['avmkit devnode --blo', ['--block-time', '--blocks']],
  ['avmkit balance --network f', ['fuji']],
  ['avmkit devnode mine --chain ', ['C', 'P', 'X']],
  ['avmkit send x 1 --accept UN', ['UNKNOWN_ASSET', 'UNKNOWN_CHAIN']],
]

/** Output in sections of one line `--- COMMAND LINE` and what is offered for it. */
const sections = (out: string) =>
  Object.fromEntries(
    out
      .split(/^--- /m)
      .slice(1)
      .map((section) => {
        const [line, ...words] = section.split('\n')
        return [line, words.filter((word) => word !== '').sort()]
      }),
  )

describe.skipIf(!isInstalled('fish'))('completion fish', () => {
  it('offers what fits after each command line', async () => {
    const place = folder()
    writeFileSync(join(place, 'avmkit.fish'), await script('fish'))
    const program =
      'source avmkit.fish; for line in $argv; echo "--- $line"; complete -C $line | cut -f 1; end'
    const argv = ['--no-config', '-c', program, ...LINES.map(([line]) => line)]
    const out = execFileSync('fish', argv, { encoding: 'utf8', cwd: place })
    expect(sections(out)).toEqual(Object.fromEntries(LINES))
  }, 60_000)
})

describe.skipIf(!isInstalled('zsh'))('completion zsh', () => {
  /** Runs in an interactive zsh: prints what would be offered instead of showing it. */
  const SETUP = `
PROMPT=
unsetopt prompt_cr prompt_sp
autoload -U compinit; compinit -u -D
source ./avmkit.zsh
bindkey '^I' complete-word
zstyle ':completion:*' insert-tab false
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return $?; fi
  local -a hits; builtin compadd -O hits "$@"; (( $#hits )) && print -rl -- $hits
}
before() { print -r -- $'\\1begin' }
after() { print -r -- $'\\1end' }
# The arrays are emptied by every completion.
arm() { compprefuncs=(before); comppostfuncs=(after); print $'\\1ready' }
`
  /** Types every command line and a tab into a pseudo-terminal. */
  const PROGRAM = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'source ./setup.zsh'
for line in "$@"; do
  zpty -w shell arm
  zpty -r shell out $'*\\1ready*'
  zpty -w -n shell "$line"$'\\t'
  zpty -r shell out $'*\\1begin*\\1end*'
  print -r -- "--- $line"
  print -r -- "\${\${out#*$'\\1'begin}%%$'\\1'end*}"
  zpty -w -n shell $'\\x15'
done
`

  it('offers what fits after each command line', async () => {
    const place = folder()
    writeFileSync(join(place, 'avmkit.zsh'), await script('zsh'))
    writeFileSync(join(place, 'setup.zsh'), SETUP)
    writeFileSync(join(place, 'program.zsh'), PROGRAM)
    // Words of paths are offered without their folder.
    const lines = LINES.filter(([line]) => !line.endsWith('/us'))
    const argv = ['-f', 'program.zsh', ...lines.map(([line]) => line)]
    const out = execFileSync('zsh', argv, { encoding: 'utf8', cwd: place, timeout: 110_000 })
    expect(sections(out.replaceAll('\r', ''))).toEqual(Object.fromEntries(lines))
  }, 120_000)
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
