import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../src/cli/parse.ts'
import { commands } from '../../src/cli/table.ts'
import { ALICE_KEY, cli } from './shell.ts'

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

  it('has every command that was promised', () => {
    const words = [...new Set(commands.map(({ name }) => name.split(' ')[0]))].sort()
    expect(words).toEqual(
      [
        'decode explain address keys balance utxos send sweep consolidate export import asset nft',
        'property request issue status wait node metrics data devnode completion',
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

describe('run', () => {
  it('lists every command when asked for help', async () => {
    const { code, out } = await cli(['--help'])
    expect(code).toBe(0)
    for (const { name, summary } of commands)
      expect(out).toContain(`  ${name.padEnd(18)}  ${summary}`)
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

  it('says how it is used where no command is named, and ends with 2', async () => {
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
    const { code, out } = await cli(['--version'])
    expect(code).toBe(0)
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  const wrong: readonly [string, string, string?][] = [
    ['decod x', 'UNKNOWN_COMMAND', 'did you mean decode?'],
    ['keys shwo', 'UNKNOWN_COMMAND', 'did you mean keys show?'],
    ['node frobnicate', 'UNKNOWN_COMMAND', 'avmkit node --help lists them'],
    ['decode --jsno x', 'UNKNOWN_OPTION', 'did you mean --json?'],
    ['balance --key 00', 'UNKNOWN_OPTION'],
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

  it('refuses keys among the arguments, wherever they stand, and repeats nothing of them', async () => {
    const mnemonic = `${'abandon '.repeat(11)}about`
    const lines = [
      ['decode', ALICE_KEY],
      ['send', 'X-local1x', '1', `--key=${ALICE_KEY}`],
      ['send', 'X-local1x', '1', '--key-file', ALICE_KEY],
      ['keys', 'from-mnemonic', mnemonic],
      ['keys', 'from-mnemonic', ...mnemonic.split(' ')],
      ['keys', 'show', '--key-file', mnemonic],
    ]
    for (const line of lines) {
      const ended = await cli(line)
      expect([ended.code, ended.error().code]).toEqual([2, 'KEY_IN_ARGUMENT'])
      expect(ended.err).not.toMatch(/24jUJ9|abandon/)
    }
  })

  it('repeats no argument where there are too many: one of them may be a key', async () => {
    const key = '56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027'
    const ended = await cli(['keys', 'show', key])
    expect(ended.error().code).toBe('TOO_MANY_ARGUMENTS')
    expect(ended.err).not.toContain('56289e')
  })
})
