import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Fetch } from '../../src/node/index.ts'
import {
  BOB,
  BOB_WORDS,
  cli,
  devNode,
  EWOQ,
  EWOQ_KEY,
  folder,
  LOCAL_AVAX,
  secretFile,
} from './shell.ts'

const env = { AVMKIT_KEY: EWOQ_KEY }
const ACCOUNT = '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC'

type Balances = {
  readonly addresses: readonly string[]
  readonly balances: readonly {
    readonly chain: string
    readonly assetID: string
    readonly spendable: string
    readonly toImport: string
  }[]
}

describe('move', () => {
  it('moves an amount from C to X and records both transactions', async () => {
    const node = await devNode()
    const run = (argv: string[]) => cli(argv, { node, env })
    const before = (await run(['balance', '--chain', 'all', '--json'])).json<Balances>()
    expect(before.balances.map(({ chain }) => chain)).toEqual(['X', 'P', 'C'])
    const line = [
      'move',
      '1.5',
      '--from',
      'C',
      '--to',
      'X',
      '--idempotency-key',
      'refill',
      '--yes',
      '--json',
    ]
    const moved = await run(line)
    expect([moved.code, moved.err]).toEqual([0, ''])
    expect(moved.json()).toMatchObject({
      status: 'accepted',
      repeated: false,
      quote: { from: 'C', to: 'X', importFee: '1000000', recipient: EWOQ },
    })
    const after = (await run(['balance', '--chain', 'all', '--json'])).json<Balances>()
    const on = (list: Balances, chain: string) =>
      BigInt(list.balances.find((each) => each.chain === chain)!.spendable)
    expect(on(after, 'X') - on(before, 'X')).toBe(1_500_000_000n)
    // The fee of the export is 1 nAVAX at the base fee of 1 wei.
    expect(on(before, 'C') - on(after, 'C')).toBe(1_501_000_001n)
    const again = (await run(line)).json()
    expect(again).toMatchObject({ txID: moved.json().txID, repeated: true })
    const { out } = await run(['journal', 'list'])
    expect(out).toMatch(/accepted .*refill/)
    expect((await run(['moves'])).out).toBe('no unfinished moves\n')
  })

  it('moves a token, whose symbol and decimals all balances show', async () => {
    const node = await devNode()
    const run = (...argv: string[]) => cli(argv, { node, env })
    const create = ['asset', 'create', 'Gold', 'AU', `${EWOQ}=5.25`, '--denomination', '2']
    const { txID } = (await run(...create, '--yes', '--json')).json<{ txID: string }>()
    const line = ['move', '1.25', '--asset', 'AU', '--from', 'X', '--to', 'P', '--yes']
    expect((await run(...line)).code).toBe(0)
    const { out } = await run('balance', '--chain', 'all')
    expect(out).toMatch(new RegExp(`^X +AU +4 +0 +0 +${txID}$`, 'm'))
    expect(out).toMatch(new RegExp(`^P +AU +1\\.25 +0 +0 +${txID}$`, 'm'))
    const { balances } = (await run('balance', '--chain', 'P', '--json')).json<Balances>()
    expect(balances).toContainEqual(
      expect.objectContaining({ chain: 'P', assetID: txID, symbol: 'AU', denomination: 2 }),
    )
  })

  it('asks for consent with both transactions explained, and does nothing without it', async () => {
    const node = await devNode()
    const line = ['move', 'all', '--from', 'P', '--to', 'C']
    const refused = await cli(line, { node, env, typed: 'n\n' })
    expect(refused.error().code).toBe('NOT_CONFIRMED')
    expect(refused.err).toContain('export to the C-Chain on local (network 12345), P-Chain')
    expect(refused.err).toContain('import from the P-Chain on local (network 12345), C-Chain')
    expect(refused.err).toContain(ACCOUNT)
    const plan = await cli([...line, '--plan'], { node, env })
    expect([plan.code, plan.err]).toEqual([0, ''])
    expect(plan.out).toContain(`at ${ACCOUNT}, after a fee of 0.000000001 AVAX`)
    expect((await cli(line, { node, env })).error().code).toBe('CONFIRMATION_NEEDED')
    expect((await cli(['move', '1', '--from', 'X', '--yes'], { node, env })).error().code).toBe(
      'MISSING_OPTION',
    )
    expect(
      (await cli(['move', '1', '--from', 'Q', '--to', 'X', '--yes'], { node, env })).code,
    ).toBe(2)
  })

  it('reports what is missing on each chain', async () => {
    const node = await devNode()
    const missing = async (from: string, to: string) => {
      const line = ['move', '900000000', '--from', from, '--to', to, '--yes', '--json']
      return (await cli(line, { node, env })).error().message
    }
    expect(await missing('X', 'C')).toContain('have 300000000')
    expect(await missing('P', 'X')).toContain('have 30000000')
    // Both fees come on top: 0.001 AVAX for the import on X, and 1 nAVAX for the export at a base fee of 1 wei.
    expect(await missing('C', 'X')).toBe(
      'insufficient funds: need 900000000.001000001 AVAX, have 50000000 AVAX',
    )
  })

  it('reports where the funds are when the import fails, and journal resume completes it', async () => {
    const node = await devNode()
    let isBroken = true
    const fetch: Fetch = async (url, init) => {
      if (isBroken && String(init.body).includes('avm.issueTx')) throw new TypeError('fetch failed')
      return node.fetch(url, init)
    }
    const line = [
      'move',
      '2',
      '--from',
      'P',
      '--to',
      'X',
      '--idempotency-key',
      'a',
      '--wait',
      '1',
      '--yes',
    ]
    const failed = await cli(line, { node, env, fetch })
    expect([failed.code, failed.error().code]).toEqual([1, 'MOVE_UNFINISHED'])
    expect(failed.err).toContain('journal resume')
    const listed = (await cli(['moves', '--json'], { node, env, fetch })).json<{
      moves: { key: string; stage: string; location: string; utxos: string[] }[]
    }>()
    expect(listed.moves).toMatchObject([{ key: 'a', from: 'P', to: 'X', stage: 'importing' }])
    expect(listed.moves[0]!.utxos).toHaveLength(1)
    expect((await cli(['moves'], { node, env, fetch })).out).toContain('exported from the P-Chain')
    isBroken = false
    const resumed = await cli(['journal', 'resume', '--json'], { node, env, fetch })
    expect(resumed.json()).toMatchObject({ resumed: [{ keys: ['a'], status: 'accepted' }] })
    expect((await cli(['moves'], { node, env })).out).toBe('no unfinished moves\n')
  })
})

describe('balance --chain', () => {
  it('shows the P-Chain and the C-Chain of keys or of an address', async () => {
    const node = await devNode()
    const p = await cli(['balance', EWOQ.replace('X-', 'P-'), '--chain', 'P', '--json'], { node })
    expect(p.json()).toMatchObject({
      balances: [{ chain: 'P', assetID: LOCAL_AVAX, spendable: '30000000000000000' }],
    })
    const c = await cli(['balance', ACCOUNT, '--chain', 'C'], { node })
    expect(c.out).toMatch(/C +AVAX +50000000 +0 +0/)
    const sent = ['export', `${BOB.replace('X-', 'P-')}=2`, '--destination-chain', 'P', '--yes']
    await cli(sent, { node, env })
    const bob = await cli(['balance', BOB.replace('X-', 'P-'), '--chain', 'P', '--json'], { node })
    expect(bob.json()).toMatchObject({ balances: [{ spendable: '0', toImport: '2000000000' }] })
    const wrong = await cli(['balance', BOB, '--chain', 'all'], { node })
    expect(wrong.error().code).toBe('BAD_VALUE')
    expect((await cli(['balance', BOB, '--chain', 'P'], { node })).code).toBe(2)
  })

  it('counts only what the addresses can spend or import without others', async () => {
    const node = await devNode()
    const inside = folder()
    const [draft, signed] = [join(inside, 'draft.json'), join(inside, 'signed.json')]
    const on = (chain: string, address: string) => address.replace('X-', `${chain}-`)
    const both = (chain: string) => `2:${on(chain, EWOQ)},${on(chain, BOB)}=1`
    const create = ['request', 'create', both('P'), '--chain', 'P', '--from', on('P', EWOQ)]
    expect((await cli([...create, '--out', draft], { node })).code).toBe(0)
    const accepted = ['UNPROVEN_UTXO', 'SHARED_OUTPUT'].flatMap((code) => ['--accept', code])
    const sign = ['request', 'sign', draft, '--yes', ...accepted, '--out', signed]
    expect((await cli(sign, { env })).code).toBe(0)
    const { out: input } = await cli(['request', 'finish', signed])
    expect((await cli(['issue', '-', '--yes'], { node, input })).code).toBe(0)
    for (const chain of ['P', 'C']) {
      const exported = ['export', both(chain), '--destination-chain', chain, '--yes']
      expect((await cli(exported, { node, env })).code).toBe(0)
    }
    const balances = async (...argv: string[]) =>
      (await cli(['balance', ...argv, '--json'], { node })).json<Balances>().balances
    expect(await balances('--chain', 'P', on('P', BOB))).toMatchObject([
      { chain: 'P', symbol: 'AVAX', spendable: '0', toImport: '0' },
    ])
    const ofKeys = (keys: string) =>
      balances('--chain', 'all', '--count', '1', '--key-file', secretFile(keys))
    const alone = await ofKeys(EWOQ_KEY)
    const together = await ofKeys(`${EWOQ_KEY}\n${BOB_WORDS}`)
    const find = (list: Balances['balances'], chain: string) => {
      const { spendable, toImport } = list.find((each) => each.chain === chain)!
      return { spendable: BigInt(spendable), toImport: BigInt(toImport) }
    }
    expect(find(alone, 'P').toImport).toBe(0n)
    expect(find(alone, 'C').toImport).toBe(0n)
    expect(find(together, 'P')).toEqual({
      spendable: find(alone, 'P').spendable + 1_000_000_000n,
      toImport: 1_000_000_000n,
    })
    expect(find(together, 'C').toImport).toBe(1_000_000_000n)
  })
})
