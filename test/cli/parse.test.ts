import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../src/cli/parse.ts'
import type { ExitCode } from '../../src/cli/run.ts'
import { commands, purposes } from '../../src/cli/table.ts'
import { parseAddress } from '../../src/core/base/encoding/address.ts'
import { parseID } from '../../src/core/base/encoding/ids.ts'
import { ALICE_KEY, BOB, cli, devNode, EWOQ_KEY } from './shell.ts'

/** The key of the local network's funds as bytes, and one of the vectors of BIP-32. */
const HEX_KEY = '56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027'
const XPRV =
  'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi'

/** The words of a command line as a shell would give them; quotes are all that examples use. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)
}

describe('the table', () => {
  it('names no command twice', () => {
    expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length)
  })

  it('has one meaning for every option, so that a line can be read before its command is known', () => {
    const meanings = new Map<string, string>()
    for (const { options } of commands)
      for (const [name, { value, short }] of Object.entries(options)) {
        const meaning = JSON.stringify([value !== undefined, short])
        expect(meanings.get(name) ?? meaning, `--${name}`).toBe(meaning)
        meanings.set(name, meaning)
      }
  })

  it('has one kind of value for every option, except where the words of the command differ', () => {
    const kinds = new Map<string, Set<string>>()
    for (const { options } of commands)
      for (const [name, { value = '' }] of Object.entries(options))
        kinds.set(name, (kinds.get(name) ?? new Set()).add(value))
    const several = [...kinds].filter(([, values]) => values.size > 1)
    expect(Object.fromEntries(several.map(([name, values]) => [name, [...values].sort()]))).toEqual(
      {
        after: ['CURSOR', 'NUMBER'],
        asset: ['ASSET', 'ID'],
        from: ['ADDRESS', 'CHAIN'],
        out: ['FILE', 'FOLDER'],
        to: ['ADDRESS', 'CHAIN'],
      },
    )
  })

  it('has one name for a key file, a gap limit, a network, a chain and a last block', () => {
    const names = new Set(commands.flatMap(({ options }) => Object.keys(options)))
    for (const name of ['mnemonic-file', 'gap', 'network-id', 'height'])
      expect(names.has(name), `--${name}`).toBe(false)
  })

  it('has the commands that are listed here', () => {
    const words = [...new Set(commands.map(({ name }) => name.split(' ')[0]))].sort()
    expect(words).toEqual(
      [
        'decode explain address convert keys balance utxos history watch send payout sweep consolidate',
        'export import asset nft property journal request issue tx block status wait rpc node metrics',
        'data custody devnode page completion man move moves accounts error version message policy receive',
      ]
        .join(' ')
        .split(' ')
        .sort(),
    )
  })

  for (const command of commands) {
    it(`has an example of ${command.name} that can be read`, () => {
      const [line] = command.example.split(/ [|<>] ?/)
      const request = parseCommandLine(shellWords(line!), commands)
      // The example of issue shows the whole pipe, which begins with another command.
      const expected = command.name === 'issue' ? 'request finish' : command.name
      expect(request).toMatchObject({ kind: 'run', command: { name: expected } })
    })

    it(`has IDs and addresses in the example of ${command.name} that can be read`, () => {
      const texts = command.example.match(
        /[A-Za-z0-9]+-[a-z]+1[^\s=]*|\b[1-9A-HJ-NP-Za-km-z]{40,}\b/g,
      )
      for (const text of texts ?? [])
        expect(() => (text.includes('-') ? parseAddress(text) : parseID(text))).not.toThrow()
    })

    it(`prints help for ${command.name} with its options and the example`, async () => {
      const { code, out, err } = await cli([...command.name.split(' '), '--help'])
      expect([code, err]).toEqual([0, ''])
      expect(out).toContain(`avmkit ${command.example}\n`)
      expect(out).toContain(command.summary)
      for (const name of Object.keys(command.options)) expect(out).toContain(`--${name}`)
      expect(out).not.toContain('\u001b')
    })
  }
})

describe('the help', () => {
  const MAINNET = /--network .*default mainnet/
  const untrue = ['explain', 'request sign', 'request status', 'request merge', 'request finish']
  for (const name of ['address', ...untrue])
    it(`of ${name} does not claim that the default network is mainnet`, async () => {
      const { out } = await cli([...name.split(' '), '--help'])
      expect(out).toMatch(/--network NETWORK/)
      expect(out).not.toMatch(MAINNET)
    })

  it('of keys show says that the default network is mainnet', async () => {
    expect((await cli(['keys', 'show', '--help'])).out).toMatch(MAINNET)
  })
})

describe('run', () => {
  it('lists every command or its group by purpose, with one line each, when asked for help', async () => {
    const { code, out } = await cli(['--help'])
    expect(code).toBe(0)
    const lines = out.split('\n')
    for (const { title, commands: list } of purposes) {
      const start = lines.indexOf(title)
      const section = lines.slice(start + 1, lines.indexOf('', start))
      const rows = new Set(
        list.map(({ name }) => (name.includes(' ') ? `${name.split(' ')[0]} COMMAND` : name)),
      )
      expect(section.map((line) => line.trim().split(/ {2,}/)[0])).toEqual([...rows])
      for (const line of section) expect(line).toMatch(/^ {2}\S.* {2}\S{2,}/)
      for (const { name, summary } of list)
        if (!name.includes(' ')) expect(section.join('\n')).toContain(summary)
    }
  })

  it('lists every exit code', async () => {
    const codes: Record<ExitCode, true> = { 0: true, 1: true, 2: true, 130: true, 143: true }
    const [, listed] = /^Exit codes: (.*)$/m.exec((await cli(['--help'])).out)!
    expect(listed!.match(/\d+/g)).toEqual(Object.keys(codes))
  })

  it('takes help for a command, too', async () => {
    expect((await cli(['help'])).out).toBe((await cli(['--help'])).out)
    expect((await cli(['help', 'keys', 'new'])).out).toBe((await cli(['keys', 'new', '-h'])).out)
    const ended = await cli(['help', 'swep'])
    expect([ended.code, ended.error().code]).toEqual([2, 'UNKNOWN_COMMAND'])
  })

  it('lists the commands of a group', async () => {
    const { code, out } = await cli(['keys', '--help'])
    expect(code).toBe(0)
    expect(out).toContain('keys from-mnemonic')
    expect(out).not.toContain('sweep')
  })

  it('prints its usage if no command is named, and exits with 2', async () => {
    expect(await cli([])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('decode'),
    })
    expect((await cli(['node'])).code).toBe(2)
    const { code, err } = await cli(['--json'])
    expect([code, JSON.parse(err).error.code]).toEqual([2, 'MISSING_ARGUMENT'])
  })

  it('prints the version of the package', async () => {
    for (const word of ['--version', '-v', 'version']) {
      const { code, out } = await cli([word])
      expect(code).toBe(0)
      expect(out).toMatch(/^\d+\.\d+\.\d+\n$/)
    }
  })

  const wrong: readonly [string, string, string?][] = [
    ['decod x', 'UNKNOWN_COMMAND', 'did you mean decode?'],
    ['keys shwo', 'UNKNOWN_COMMAND', 'did you mean keys show?'],
    ['node heigth', 'UNKNOWN_COMMAND', 'did you mean node height?'],
    ['send X-local1x 1 --dry-rnu', 'UNKNOWN_OPTION', 'did you mean --dry-run?'],
    ['send X-local1x 1 --key rent', 'UNKNOWN_OPTION', '--idempotency-key names a payment'],
    ['node frobnicate', 'UNKNOWN_COMMAND', 'avmkit node --help lists them'],
    ['decode --jsno x', 'UNKNOWN_OPTION', 'did you mean --json?'],
    ['balance --key 00', 'UNKNOWN_OPTION'],
    ['decode -x y', 'UNKNOWN_OPTION', '--help lists the options'],
    ['node info --url 127.0.0.1:9650', 'BAD_VALUE', 'must start with http://'],
    ['node info --url http://', 'BAD_VALUE', 'for example http://'],
    ['metrics health --url localhost:80', 'BAD_VALUE', 'must start with http://'],
    ['decode --yes x', 'UNKNOWN_OPTION', '--help lists the options'],
    ['--frobnicate', 'UNKNOWN_OPTION'],
    ['balance --url', 'MISSING_VALUE'],
    ['balance --url --json', 'MISSING_VALUE'],
    ['balance --url= X', 'MISSING_VALUE'],
    ['decode --json=yes x', 'UNEXPECTED_VALUE'],
    ['decode --as soup x', 'BAD_VALUE'],
    ['decode --as tx --as tx 00', 'BAD_VALUE'],
    ['node info --timeout soon --url http://node', 'BAD_VALUE'],
    ['node info --timeout 0 --url http://node', 'BAD_VALUE'],
    ['address 00 --network fuij', 'BAD_VALUE', 'did you mean fuji?'],
    ['completion tcsh', 'BAD_VALUE'],
    ['decode', 'MISSING_ARGUMENT'],
    ['status', 'MISSING_ARGUMENT'],
    ['decode a b', 'TOO_MANY_ARGUMENTS'],
    ['keys show abandon', 'TOO_MANY_ARGUMENTS'],
    ['keys new', 'MISSING_OPTION'],
    ['export P-local1x=1', 'MISSING_OPTION'],
    ['balance X-local1x', 'NO_URL'],
    ['keys show', 'NO_KEYS'],
  ]
  for (const [line, code, hint] of wrong)
    it(`ends with 2 and ${code} for ${line}`, async () => {
      const words = line.split(' ')
      const ended = await cli(words)
      expect([ended.code, ended.out]).toEqual([2, ''])
      expect(ended.err.trimEnd()).not.toContain('\n')
      expect(ended.error().code).toBe(code)
      expect(ended.error().hint).toContain(hint ?? ' ')
      const json = await cli([...words.filter((word) => word !== '--json'), '--json'])
      // Behind an option that lacks its value, --json is not its value either.
      expect([json.code, json.error().code]).toEqual([2, code])
    })

  it('refuses keys in any argument, and does not repeat them', async () => {
    const mnemonic = `${'abandon '.repeat(11)}about`
    const lines = [
      ['decode', ALICE_KEY],
      ['send', 'X-local1x', '1', `--key=${ALICE_KEY}`],
      ['send', 'X-local1x', '1', '--key-file', ALICE_KEY],
      ['keys', 'from-mnemonic', mnemonic],
      ['keys', 'from-mnemonic', ...mnemonic.split(' ')],
      ['keys', 'show', '--key-file', mnemonic],
      // The checksum is wrong, words are mistyped, all is in capitals: it is a secret all the same.
      ['keys', 'show', '--key-file', `${'abandon '.repeat(11)}abandon`],
      ['send', 'X-local1x', '1', '--memo', `${'abandon '.repeat(10)}abandom abouth`],
      ['decode', mnemonic.toUpperCase()],
      ['keys', 'show', ...'abandon '.repeat(13).trim().split(' ')],
      ['keys', 'show', '--key-file', XPRV],
      ['keys', 'show', '--key-file', HEX_KEY],
      ['keys', 'show', '--key-env', HEX_KEY],
      ['keys', 'show', HEX_KEY],
      ['send', `${HEX_KEY}=1`],
      ['send', 'X-local1x', '1', `--key=0x${HEX_KEY}`],
      ['decode', `0x${HEX_KEY}`],
      ['status', HEX_KEY.toUpperCase()],
    ]
    for (const line of lines) {
      const ended = await cli(line)
      expect([ended.code, ended.error().code]).toEqual([2, 'KEY_IN_ARGUMENT'])
      expect(ended.err).not.toMatch(/24jUJ9|abandon|56289e|xprv/i)
    }
  })

  it('takes hashes where hashes are likely, IDs that are called so, and twelve words of prose', async () => {
    const prose = 'we had a very good time at the sea with all of you'
    const lines = [
      ['send', BOB, '1', '--yes', '--memo', HEX_KEY],
      ['send', BOB, '1', '--yes', '--memo', prose],
      ['nft', 'mint', 'x', BOB, '--yes', '--payload-hex', HEX_KEY],
    ]
    for (const line of lines) expect((await cli(line)).error().code).toBe('NO_URL')
    expect((await cli(['decode', '--as', 'id', HEX_KEY])).code).toBe(0)
  })

  it('prints the version and does nothing else if --version is anywhere', async () => {
    const version = await cli(['--version'])
    const node = await devNode()
    const before = node.stateDigest()
    const env = { AVMKIT_KEY: EWOQ_KEY }
    for (const line of [
      ['send', BOB, '1', '--yes', '--version'],
      ['--version', 'send', BOB, '1', '--yes'],
    ])
      expect(await cli(line, { node, env })).toMatchObject({ code: 0, out: version.out, err: '' })
    expect(node.stateDigest()).toEqual(before)
  })

  it('names every variable of the environment that it reads', async () => {
    const { out } = await cli(['--help'])
    const sources = fileURLToPath(new URL('../../src/cli', import.meta.url))
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    const text = files
      .filter((file) => file.endsWith('.ts') && file !== 'help.ts')
      .map((file) => readFileSync(join(sources, file), 'utf8'))
      .join('')
    const names = new Set(text.match(/AVMKIT_(?!SERVICE)[A-Z_]+/g))
    expect(names).toContain('AVMKIT_DATA_KEY')
    for (const name of names) expect(out).toContain(`  ${name} `)
  })
})
