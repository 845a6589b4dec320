import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { DevNode } from '../../src/devnode/index.ts'
import {
  BOB,
  BOB_SECOND,
  BOB_WORDS,
  cli,
  devNode,
  type Ended,
  EWOQ,
  folder,
  LOCAL_AVAX,
} from './shell.ts'

const AVAX = 1_000_000_000n

/** Runs a command with the two addresses of Bob. */
function bob(node: DevNode, argv: readonly string[], typed?: string): Promise<Ended> {
  const env = { AVMKIT_KEY: BOB_WORDS }
  const all = [...argv, '--count', '2']
  return cli(all, { node, env, ...(typed === undefined ? {} : { typed }) })
}

describe('the plan of a batch', () => {
  it('shows the network, the owners of the UTXOs and the recipient', async () => {
    const node = await devNode()
    node.fund(BOB, AVAX)
    node.fund(BOB_SECOND, AVAX)
    node.exportFrom('C', { address: BOB, amount: AVAX })
    const sweep = await bob(node, ['sweep', EWOQ, '--plan', '--json'])
    expect(sweep.json()).toMatchObject({
      network: { name: 'local', networkID: 12345 },
      from: [BOB, BOB_SECOND],
      to: [{ threshold: 1, addresses: [EWOQ], locktime: '0', ours: false }],
      change: [],
      warnings: [],
    })
    const consolidate = await bob(node, ['consolidate', '--plan', '--json'])
    expect(consolidate.json()).toMatchObject({ to: [{ addresses: [BOB], ours: true }] })
    const taking = await bob(node, ['import', '--source-chain', 'C', '--to', EWOQ, '--plan'])
    expect(taking.out).toContain(`\nfrom          ${BOB}\n`)
    expect(taking.out).toContain(`\nto            ${EWOQ}\n`)
  })

  it('precedes the question at a terminal, with its title in bold', async () => {
    const node = await devNode()
    node.fund(BOB, AVAX)
    node.fund(BOB_SECOND, AVAX)
    const argv = ['sweep', EWOQ, '--journal', join(folder(), 'journal')]
    const ended = await bob(node, argv, 'n\n')
    expect(ended.error().code).toBe('NOT_CONFIRMED')
    expect(ended.err).toContain('\u001b[1mplan on local (network 12345), X-Chain\u001b[22m\n')
    const text = stripVTControlCharacters(ended.err)
    expect(text).toContain('from          2 of your addresses\n')
    expect(text).toContain(`to            ${EWOQ}\n`)
    expect(text.indexOf('to  ')).toBeLessThan(text.indexOf('Sign and send all of this?'))
  })

  it('shows the warnings of a single transaction, also with --yes', async () => {
    const node = await devNode()
    node.fund(BOB, AVAX)
    // From there on letters are shown from right to left.
    const memo = ['--memo', 'rent\u202egnp.exe']
    const plan = await bob(node, ['sweep', EWOQ, ...memo, '--plan', '--json'])
    expect(plan.json()).toMatchObject({ warnings: [{ code: 'SUSPICIOUS_MEMO', transactions: 1 }] })
    const text = await bob(node, ['sweep', EWOQ, ...memo, '--plan'])
    expect(text.out).toContain('WARNING SUSPICIOUS_MEMO  ')
    const journal = join(folder(), 'journal')
    const done = await bob(node, ['sweep', EWOQ, ...memo, '--yes', '--journal', journal])
    expect([done.code, done.err]).toEqual([0, expect.stringContaining('warning SUSPICIOUS_MEMO')])
  })

  it('includes all rounds of a consolidation, and equals the result', async () => {
    const node = await devNode()
    for (let i = 0; i < 900; i++) node.fund(BOB, AVAX)
    const journal = join(folder(), 'journal')
    const plan = await bob(node, ['consolidate', '--plan', '--json'])
    const { transactions, fee } = plan.json<{ transactions: number; fee: string }>()
    expect(transactions).toBeGreaterThan(2)
    const left = 900n * AVAX - BigInt(fee)
    const moved = [{ assetID: LOCAL_AVAX, amount: String(left) }]
    expect(plan.json()).toMatchObject({ utxoCount: 900, moved })
    expect((await bob(node, ['consolidate', '--plan'])).out).toContain(
      `${transactions}, 1 of which spends outputs of the first ${transactions - 1}`,
    )
    const done = await bob(node, ['consolidate', '--yes', '--json', '--journal', journal])
    expect(done.json()).toMatchObject({ utxoCount: 900, moved })
    expect(done.json<{ txIDs: string[] }>().txIDs).toHaveLength(transactions)
    const balance = await cli(['balance', BOB, '--json'], { node })
    expect(balance.json()).toMatchObject({
      assets: [{ spendable: String(left), spendableUTXOs: 1 }],
    })
  })

  it('reports UTXOs that already belong to the recipient', async () => {
    const node = await devNode()
    node.fund(BOB, AVAX)
    const ended = await bob(node, ['sweep', BOB, '--plan'])
    expect(ended.out).toContain('already at the recipient')
    expect(ended.out).not.toContain('others')
  })
})

describe('a batch', () => {
  it('lists the first of its transactions', async () => {
    const node = await devNode()
    for (let i = 0; i < 620; i++) node.fund(BOB, AVAX)
    const journal = join(folder(), 'journal')
    const done = await bob(node, ['sweep', EWOQ, '--clear-sign', '--yes', '--journal', journal])
    const [, count] = /^accepted +([0-9]+) transactions$/m.exec(done.out)!
    expect(Number(count)).toBeGreaterThan(5)
    expect(done.out.match(/^ +[1-9A-HJ-NP-Za-km-z]{40,}$/gm)).toHaveLength(5)
    expect(done.out).toContain(`and ${Number(count) - 5} more`)
  })

  it('accepts AVAX as the name of the native asset', async () => {
    const node = await devNode()
    node.fund(BOB, AVAX)
    const plan = await bob(node, ['sweep', EWOQ, '--asset', 'AVAX', '--plan', '--json'])
    expect(plan.json()).toMatchObject({ utxoCount: 1, moved: [{ assetID: LOCAL_AVAX }] })
  })

  const bad: readonly [readonly string[], number, string][] = [
    [['consolidate', '--to', EWOQ], 1, 'FOREIGN_CHANGE'],
    [['consolidate', '--change-to', 'zzz'], 2, 'UNKNOWN_OPTION'],
    [['sweep', EWOQ, '--in-flight', '0'], 2, 'BAD_VALUE'],
    [['sweep', EWOQ, '--asset', 'junk'], 2, 'ENC_MISSING_CHECKSUM'],
  ]
  for (const [argv, code, name] of bad)
    for (const mode of ['--plan', '--yes'])
      it(`refuses ${argv.join(' ').slice(0, 50)} ${mode} with ${name}`, async () => {
        const node = await devNode()
        node.fund(BOB, AVAX)
        node.fund(BOB, AVAX)
        const journal = ['--journal', join(folder(), 'journal')]
        const ended = await bob(node, [...argv, mode, ...journal])
        expect([ended.code, ended.error().code, ended.out]).toEqual([code, name, ''])
      })
})
