import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DevNode } from '../../src/devnode/index.ts'
import {
  ALICE_KEY,
  BOB,
  BOB_SECOND,
  BOB_WORDS,
  cli,
  devNode,
  EWOQ,
  EWOQ_KEY,
  folder,
  secretFile,
} from './shell.ts'

const OWNERS = [EWOQ, BOB, BOB_SECOND].flatMap((owner) => ['--from', owner])
const FROM = [...OWNERS, '--change-to', EWOQ]

type Round = {
  readonly node: DevNode
  readonly at: (name: string) => string
  readonly ewoq: string
}

/** Three owners have one UTXO, which two of them must sign for, and no other. */
async function multisig(): Promise<Round> {
  const node = await devNode()
  const all = ['send', `2:${EWOQ},${BOB},${BOB_SECOND}`, 'all', '--yes']
  expect((await cli(all, { node, env: { AVMKIT_KEY: EWOQ_KEY } })).code).toBe(0)
  const inside = folder()
  return { node, at: (name) => join(inside, name), ewoq: secretFile(EWOQ_KEY, 'ewoq.key', inside) }
}

async function created({ node, at }: Round, ...options: string[]): Promise<void> {
  const argv = ['request', 'create', BOB, '3', ...FROM, '--out', at('request.json'), ...options]
  const { code, err } = await cli(argv, { node })
  expect([code, err]).toEqual([0, ''])
}

describe('request', () => {
  it('is created online, signed offline by two of three, merged, finished and issued', async () => {
    const round = await multisig()
    const { node, at, ewoq } = round
    await created(round, '--signers', 'all')
    const status = await cli(['request', 'status', at('request.json'), '--json'])
    type Status = { signerSets: { signers: string[]; missing: string[] }[] }
    // Any two of three.
    expect(status.json<Status>().signerSets.map(({ signers }) => signers.length)).toEqual([2, 2, 2])

    const sign = ['request', 'sign', at('request.json'), '--yes', '--json']
    // The change goes to ewoq alone, which the signers have to accept.
    const weaker = ['--accept', 'WEAKER_CHANGE']
    const first = await cli([...sign, ...weaker, '--key-file', ewoq, '--out', at('ewoq.json')])
    expect(first.json()).toMatchObject({ complete: false, file: at('ewoq.json') })
    const unfinished = await cli(['request', 'finish', at('ewoq.json')])
    expect([unfinished.code, unfinished.error().code]).toEqual([1, 'INCOMPLETE'])

    const words = secretFile(BOB_WORDS)
    // By the first key alone, who is Bob. The change goes to ewoq alone, and the vault pays Bob alone.
    const warned = await cli([...sign, '--key-file', words])
    expect([warned.code, warned.error().code]).toEqual([1, 'FOREIGN_CHANGE'])
    const foreign = ['--accept', 'FOREIGN_CHANGE']
    const second = await cli([...sign, '--key-file', words, ...foreign, ...weaker])
    writeFileSync(at('bob.json'), second.out)
    const merged = await cli(['request', 'merge', at('ewoq.json'), '-', '--out', at('all.json')], {
      input: second.out,
    })
    expect([merged.code, merged.out]).toEqual([0, expect.stringContaining('complete')])

    const finished = await cli(['request', 'finish', at('all.json')])
    expect(finished.out).toMatch(/^0x[0-9a-f]+\n$/)
    const issue = ['issue', '-', '--yes', '--json']
    const issued = await cli(issue, { node, input: finished.out })
    const { txID } = JSON.parse(readFileSync(at('all.json'), 'utf8'))
    expect(issued.json()).toEqual({ txID, status: 'accepted' })
    // Issuing it again pays nobody twice.
    expect((await cli(issue, { node, input: finished.out })).json()).toEqual({
      txID,
      status: 'accepted',
    })
    const balance = (await cli(['balance', BOB, '--json'], { node })).json()
    expect(balance).toMatchObject({ assets: [{ spendable: '3000000000' }] })
  })

  it('explains what is signed, at a terminal, and signs only after yes', async () => {
    const round = await multisig()
    const { at, ewoq } = round
    await created(round)
    const accept = ['--accept', 'WEAKER_CHANGE']
    const argv = ['request', 'sign', at('request.json'), '--key-file', ewoq, ...accept]
    const refused = await cli(argv, { typed: 'n\n' })
    expect([refused.code, refused.error().code, refused.out]).toEqual([1, 'NOT_CONFIRMED', ''])
    expect(refused.err).toMatch(/pay +3 +AVAX +to X-local15qwukl/)
    const agreed = await cli(argv, { typed: 'y\n' })
    expect(agreed.code).toBe(0)
    expect(JSON.parse(agreed.out).signerSets[0].signatures).toHaveLength(1)
    const nobody = await cli(argv)
    expect([nobody.code, nobody.error().code]).toEqual([2, 'CONFIRMATION_NEEDED'])
  })

  it('can be decoded and explained', async () => {
    const round = await multisig()
    await created(round)
    const input = readFileSync(round.at('request.json'), 'utf8')
    const decoded = await cli(['decode', '-', '--json'], { input })
    expect(decoded.json()).toMatchObject({ kind: 'request', networkID: 12345, complete: false })
    const explained = await cli(['explain', '-', '--json'], {
      input,
      env: { AVMKIT_KEY: EWOQ_KEY },
    })
    expect(explained.json()).toMatchObject({
      pays: [{ amount: '3000000000' }],
      returns: [{ change: true }],
    })
  })

  it('refuses keys that are not signers, files of another network, and changed files', async () => {
    const round = await multisig()
    const { at } = round
    await created(round)
    const file = at('request.json')
    const stranger = secretFile(ALICE_KEY)
    const wrongKey = await cli(['request', 'sign', file, '--key-file', stranger, '--yes'])
    expect([wrongKey.code, wrongKey.error().code]).toEqual([1, 'UNUSED_KEY'])
    const key = ['--key-file', stranger, '--yes']
    const lines = [['status'], ['finish'], ['merge', file], ['sign', ...key]]
    // The details of network 1337 are not built in.
    for (const network of ['fuji', '1', '1337'])
      for (const [command, ...rest] of lines) {
        const argv = ['request', command!, file, ...rest]
        const named = await cli([...argv, '--network', network])
        expect([named.code, named.error().code]).toEqual([1, 'REQUEST_NETWORK'])
        const set = await cli(argv, { env: { AVMKIT_NETWORK: network } })
        expect([set.code, set.error().code]).toEqual([1, 'REQUEST_NETWORK'])
      }
    const text = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      text.replace(/"id": "(.)/, (_, c) => `"id": "${c === '2' ? '3' : '2'}`),
    )
    expect((await cli(['request', 'status', file])).code).toBe(1)
    writeFileSync(file, '{"format":"avmkit-signing-request","version":9}')
    const version = await cli(['request', 'finish', file])
    expect([version.code, version.error().code]).toEqual([1, 'REQUEST_VERSION'])
  })

  it('exits with 1 for a file with an unknown member, because it is no command line', async () => {
    const round = await multisig()
    await created(round)
    const { at, ewoq } = round
    const request = JSON.parse(readFileSync(at('request.json'), 'utf8'))
    const text = JSON.stringify({ ...request, pathz: [] })
    writeFileSync(at('changed.json'), text)
    const refused = async (argv: readonly string[], input?: string) => {
      const ended = await cli(argv, input === undefined ? {} : { input })
      return [ended.code, ended.error().code]
    }
    const changed = at('changed.json')
    for (const argv of [
      ['sign', changed, '--yes', '--key-file', ewoq],
      ['merge', at('request.json'), changed],
      ['status', changed],
      ['finish', changed],
    ])
      expect(await refused(['request', ...argv])).toEqual([1, 'UNKNOWN_OPTION'])
    for (const argv of [
      ['request', 'status', '-'],
      ['decode', '-'],
      ['explain', '-'],
    ])
      expect(await refused(argv, text)).toEqual([1, 'UNKNOWN_OPTION'])
    // The argument itself is the text.
    expect(await refused(['decode', text])).toEqual([2, 'UNKNOWN_OPTION'])
    expect(await refused(['request', 'status', changed, '--zzz'])).toEqual([2, 'UNKNOWN_OPTION'])
  })

  it('does not mix requests for different transactions', async () => {
    const round = await multisig()
    const { node, at } = round
    await created(round)
    const other = ['request', 'create', BOB, '4', ...FROM, '--out', at('other.json')]
    expect((await cli(other, { node })).code).toBe(0)
    const ended = await cli(['request', 'merge', at('request.json'), at('other.json')])
    expect([ended.code, ended.error().code]).toEqual([1, 'REQUEST_CONFLICT'])
  })

  it('requires --change-to if the UTXOs have several owners', async () => {
    const { node } = await multisig()
    const argv = ['request', 'create', BOB, '3', ...OWNERS]
    const ended = await cli(argv, { node })
    expect([ended.code, ended.error().code, ended.out]).toEqual([2, 'MISSING_OPTION', ''])
    // 300 million from the genesis minus two fees of 0.001.
    const rest = `2:${EWOQ},${BOB},${BOB_SECOND}=299999996.998`
    const whole = await cli(['request', 'create', `${BOB}=3`, rest, ...OWNERS, '--json'], { node })
    expect(whole.json()).toMatchObject({ change: [] })
    const back = ['--change-to', `2:${EWOQ},${BOB},${BOB_SECOND}`, '--json']
    const shared = await cli([...argv, ...back], { node })
    expect(shared.json()).toMatchObject({ change: [{ amount: '299999996998000000' }] })
    const shown = await cli(['explain', '-'], { input: shared.out })
    expect(shown.out).toMatch(/^return +299999996\.998 +AVAX +to 2 of 3: X-local1/m)
    expect(shown.out).not.toContain('WEAKER_CHANGE')
  })

  it('requires --change-to if the UTXOs belong to several addresses', async () => {
    const node = await devNode()
    node.fund(BOB, 2_000_000_000n)
    node.fund(BOB_SECOND, 2_000_000_000n)
    const both = ['--from', BOB, '--from', BOB_SECOND]
    const argv = ['request', 'create', EWOQ, '3', ...both, '--json']
    const ended = await cli(argv, { node })
    expect([ended.code, ended.error().code, ended.out]).toEqual([2, 'MISSING_OPTION', ''])
    const told = await cli([...argv, '--change-to', BOB_SECOND], { node })
    expect(told.json()).toMatchObject({ change: [{ amount: '999000000' }] })
    // Not required if all UTXOs belong to the first owner.
    const own = await cli(['request', 'create', EWOQ, '1', '--from', BOB, '--json'], { node })
    expect(own.json()).toMatchObject({ change: [{ amount: '999000000' }] })
  })

  it('does not warn a signer of change that goes back to all owners', async () => {
    const round = await multisig()
    const back = ['--change-to', `2:${EWOQ},${BOB},${BOB_SECOND}`]
    const argv = ['request', 'create', BOB, '3', ...OWNERS, ...back]
    const { out: input } = await cli(argv, { node: round.node })
    const explained = await cli(['explain', '-', '--json'], {
      input,
      env: { AVMKIT_KEY: EWOQ_KEY },
    })
    expect(explained.json()).toMatchObject({ returns: [{ change: true }], warnings: [] })
  })

  it('can be an export, and requires --from', async () => {
    const round = await multisig()
    const to = `${EWOQ.replace('X-', 'P-')}=1`
    const argv = ['request', 'create', to, '--destination-chain', 'P']
    const made = await cli([...argv, ...FROM, '--json'], { node: round.node })
    expect(made.json()).toMatchObject({ format: 'avmkit-signing-request', version: 2 })
    const missing = await cli(argv, { node: round.node })
    expect([missing.code, missing.error().code]).toEqual([2, 'MISSING_OPTION'])
  })

  it('refuses to read standard input twice', async () => {
    const ended = await cli(['request', 'merge', '-', '-'], { input: '{}' })
    expect(ended.code).not.toBe(0)
    const keys = await cli(['request', 'sign', '-', '--key-file', '-', '--yes'], { input: '{}' })
    expect(keys.code).not.toBe(0)
  })
})
