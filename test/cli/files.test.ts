import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { avmkit, Child, ended, MAIN, onTerminal } from './child.ts'
import { BOB, BOB_WORDS, cli, devNode, EWOQ, EWOQ_KEY, folder, secretFile } from './shell.ts'

const env = { AVMKIT_KEY: EWOQ_KEY }
const EWOQ_ACCOUNT = '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC'

describe('--out of a request', () => {
  it('replaces requests and transactions, and nothing else', async () => {
    const node = await devNode()
    const inside = folder()
    const file = join(inside, 'payout.json')
    const create = ['request', 'create', BOB, '1', '--from', EWOQ, '--out', file]
    expect((await cli(create, { node })).code).toBe(0)
    const precious = ['precious', EWOQ_KEY, '{"url":"http://node"}', '[]', '0x00', 'null']
    for (const text of precious) {
      const other = secretFile(text, 'other', inside)
      const sign = ['request', 'sign', file, '--yes', '--out', other]
      const lines = [
        [...create.slice(0, -1), other],
        sign,
        ['request', 'merge', file, file, '--out', other],
      ]
      for (const line of lines) {
        const refused = await cli(line, { node, env })
        expect([refused.code, refused.error().code]).toEqual([1, 'FILE_EXISTS'])
      }
      expect(readFileSync(other, 'utf8')).toBe(text)
    }
    const sign = ['request', 'sign', file, '--yes', '--out', file]
    expect((await cli(sign, { env })).code).toBe(0)
    const tx = join(inside, 'payout.tx')
    writeFileSync(tx, '')
    const finish = ['request', 'finish', file, '--out']
    for (let i = 0; i < 2; i++) expect((await cli([...finish, tx])).code).toBe(0)
    expect((await cli([...finish, secretFile(EWOQ_KEY)])).error().code).toBe('FILE_EXISTS')
    const { out } = await cli(['decode', readFileSync(tx, 'utf8').trim(), '--json'])
    expect(JSON.parse(out)).toMatchObject({ kind: 'tx' })
  })

  it('replaces requests and transactions of the P- and C-Chain, too', async () => {
    const node = await devNode()
    const inside = folder()
    for (const [chain, from] of [
      ['P', EWOQ.replace('X-', 'P-')],
      ['C', EWOQ_ACCOUNT],
    ] as const) {
      const [file, tx] = [join(inside, `${chain}.json`), join(inside, `${chain}.tx`)]
      const target = ['--chain', chain, '--destination-chain', 'X', '--from', from]
      const create = ['request', 'create', EWOQ, '1', ...target, '--out', file]
      const accept = ['--yes', '--accept', 'UNPROVEN_UTXO']
      for (const line of [
        create,
        create,
        ['request', 'sign', file, ...accept, '--out', file],
        ['request', 'merge', file, file, '--out', file],
        ['request', 'finish', file, '--out', tx],
        ['request', 'finish', file, '--out', tx],
      ])
        expect([line[1], (await cli(line, { node, env })).code]).toEqual([line[1], 0])
    }
  })

  it.skipIf(!existsSync('/dev/null'))('goes to a device, too', async () => {
    const node = await devNode()
    const create = ['request', 'create', BOB, '1', '--from', EWOQ, '--out', '/dev/null']
    expect((await cli(create, { node })).code).toBe(0)
  })
})

describe('files that are written', () => {
  const words = BOB_WORDS
  const derive = (out: string) => ['keys', 'from-mnemonic', '--count', '100', '--out', out]

  // A limit on the size of files acts like a full disk: the first write is short, the next one fails.
  it.skipIf(process.platform === 'win32')(
    'are complete or absent if the disk is full',
    async () => {
      const inside = folder()
      const out = join(inside, 'keys')
      const line = derive(out)
        .map((word) => `'${word}'`)
        .join(' ')
      const limited = new Child(
        'sh',
        ['-c', `ulimit -f 1; '${process.execPath}' '${MAIN}' ${line}`],
        {
          AVMKIT_MNEMONIC: words,
        },
      )
      const { code, err } = await limited.exited
      expect([code, err]).toEqual([1, expect.stringMatching(/^error FILE_UNWRITABLE: /)])
      expect(readdirSync(inside)).toEqual([])
      const whole = await ended(avmkit(derive(out), { AVMKIT_MNEMONIC: words }))
      expect(whole.code).toBe(0)
      expect(readFileSync(out, 'utf8').match(/^PrivateKey-\w+$/gm)).toHaveLength(100)
      expect(readdirSync(inside)).toEqual(['keys'])
    },
  )

  it.skipIf(process.platform === 'win32')(
    'keep the old contents if the new ones do not fit',
    async () => {
      const node = await devNode()
      const inside = folder()
      const file = join(inside, 'payout.json')
      expect(
        (await cli(['request', 'create', BOB, '1', '--from', EWOQ, '--out', file], { node })).code,
      ).toBe(0)
      const before = readFileSync(file, 'utf8')
      const sign = `'${process.execPath}' '${MAIN}' request sign '${file}' --yes --out '${file}'`
      const { code } = await new Child('sh', ['-c', `ulimit -f 1; ${sign}`], env).exited
      expect(code).toBe(1)
      expect(readFileSync(file, 'utf8')).toBe(before)
      expect(readdirSync(inside)).toEqual(['payout.json'])
    },
  )

  it.skipIf(!existsSync('/dev/full'))('report a device that is full', async () => {
    const node = await devNode()
    const ended = await cli(['request', 'create', BOB, '1', '--from', EWOQ, '--out', '/dev/full'], {
      node,
    })
    expect([ended.code, ended.error().code]).toEqual([1, 'FILE_UNWRITABLE'])
  })

  it.skipIf(process.platform === 'win32')(
    'have the mode of a secret, whatever the umask, or that of the file they replace',
    async () => {
      const node = await devNode()
      const inside = folder()
      const key = join(inside, 'my.key')
      const open = new Child('sh', [
        '-c',
        `umask 0; '${process.execPath}' '${MAIN}' keys new --out '${key}'`,
      ])
      expect((await open.exited).code).toBe(0)
      expect(statSync(key).mode & 0o777).toBe(0o600)
      const file = join(inside, 'payout.json')
      const create = ['request', 'create', BOB, '1', '--from', EWOQ, '--out', file]
      expect((await cli(create, { node })).code).toBe(0)
      chmodSync(file, 0o640)
      expect((await cli(['request', 'sign', file, '--yes', '--out', file], { env })).code).toBe(0)
      expect(statSync(file).mode & 0o777).toBe(0o640)
    },
  )

  it.skipIf(process.platform === 'win32')(
    'replace the target of a link, not the link',
    async () => {
      const node = await devNode()
      const inside = folder()
      const file = join(inside, 'payout.json')
      const link = join(inside, 'link.json')
      expect(
        (await cli(['request', 'create', BOB, '1', '--from', EWOQ, '--out', file], { node })).code,
      ).toBe(0)
      symlinkSync(file, link)
      expect((await cli(['request', 'sign', link, '--yes', '--out', link], { env })).code).toBe(0)
      expect(lstatSync(link).isSymbolicLink()).toBe(true)
      expect(readFileSync(file, 'utf8')).toContain('"txID"')
    },
  )

  it('never replace a key', async () => {
    const key = secretFile(EWOQ_KEY)
    const ended = await cli(['keys', 'new', '--out', key])
    expect([ended.code, ended.error().code]).toEqual([1, 'FILE_EXISTS'])
    expect(readFileSync(key, 'utf8')).toBe(EWOQ_KEY)
    expect(readdirSync(dirname(key))).toEqual(['my.key'])
  })
})

describe('the folder of a development node', () => {
  const places = [secretPath, () => '/dev/null/x', () => '/proc/foo']
  it.skipIf(process.platform !== 'linux').each(places)(
    'must be a folder that can be created: %#',
    async (place) => {
      const { code, err } = await ended(avmkit(['devnode', '--port', '0', '--folder', place()]))
      expect([code, err]).toEqual([1, expect.stringMatching(/^error FILE_UNWRITABLE: [^\n]+\n$/)])
    },
  )

  it('is created with its parents', async () => {
    const place = join(folder(), 'a', 'b')
    const node = avmkit(['devnode', '--port', '0', '--folder', place])
    await node.says(/url +http/)
    expect(statSync(place).isDirectory()).toBe(true)
  })
})

function secretPath(): string {
  return secretFile('a file')
}

describe('standard input', () => {
  it('may be long, but is limited', async () => {
    const digits = await ended(avmkit(['decode', '-']), 'a'.repeat(50_000_000))
    expect([digits.code, digits.err]).toEqual([1, expect.stringMatching(/^error CODEC_TOO_BIG: /)])
    const endless = await ended(avmkit(['decode', '-']), '\0'.repeat(70_000_000))
    expect([endless.code, endless.err]).toEqual([
      1,
      expect.stringMatching(/^error FILE_UNREADABLE: [^\n]+\n$/),
    ])
  })

  it('is no longer waited for after the first Ctrl-C', async () => {
    const open = secretFile(EWOQ_KEY)
    chmodSync(open, 0o644)
    const child = onTerminal(['keys', 'show', '--key-file', open, '--key-file', '-'])
    // Both are read at the same time; the error is about this one.
    await child.says(/KEY_FILE_OPEN/)
    child.process.stdin.write('\u0003')
    const { code, out } = await child.exited
    expect([code, out]).toEqual([130, expect.stringContaining('error INTERRUPTED')])
  })
})
