import { describe, expect, it } from 'vitest'
import { HDAccount, seedFromMnemonic, WatchAccount } from '../../../src/core/crypto/hd/index.ts'
import { nobleBackend } from '../../../src/core/crypto/secp256k1.ts'
import { applyBlock } from '../../../src/custody/chain/apply-block.ts'
import { channelsOf } from '../../../src/custody/database/channels.ts'
import type { Queries } from '../../../src/custody/database/database.ts'
import { databaseStore } from '../../../src/custody/database/store.ts'
import { watchAccount } from '../../../src/custody/deposits/accounts.ts'
import type { Custody } from '../../../src/custody/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { AVAX, keysOf, type Scene, scene, textOf, until } from '../setup.ts'

const [alice, bob, carol] = [21, 22, 23].map((byte) => textOf(keysOf(byte).addresses[0]!)) as [
  string,
  string,
  string,
]

async function depositsOf(custody: Custody, count: number) {
  return until(`${count} deposits`, async () => {
    const list = await custody.deposits()
    return list.length >= count && list
  })
}

/** Waits until the leader has applied all blocks. */
async function synced({ client }: Scene, custody: Custody): Promise<void> {
  const target = await client.avm.getHeight()
  await until('blocks applied', async () => {
    const { height, addresses } = await custody.status()
    return height !== undefined && height >= target && !addresses.toWalk
  })
}

describe('deposits', () => {
  it('are classified, numbered without gaps, and each once', async () => {
    const world = await scene()
    const { node, client, open, work } = world
    const custody = await open()
    await custody.watch([alice, { address: bob, reference: 'bob' }])
    // Existed before anybody looked.
    node.fund(alice, 5n * AVAX)
    work(custody)
    await depositsOf(custody, 1)
    const payer = keysOf(40)
    node.fund(payer.addresses[0]!, 1000n * AVAX)
    const wallet = createWallet({ client, keys: payer })
    await wallet.transfer({
      outputs: [
        { to: alice, amount: AVAX },
        { to: bob, amount: 2n * AVAX },
        { to: bob, amount: 3n * AVAX, locktime: 4_102_444_800n },
        { to: bob, amount: 4n * AVAX, locktime: 1n },
        { to: [alice, carol], threshold: 2, amount: 5n * AVAX },
        { to: carol, amount: 6n * AVAX },
      ],
    })
    const { txID: assetID } = await wallet.createAsset({
      name: 'Token',
      symbol: 'TOK',
      holders: [{ to: alice, amount: 7n }],
      nftMinters: [{ groupID: 0, to: bob }],
    })
    const list = await depositsOf(custody, 8)
    expect(list.map(({ cursor }) => cursor)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n])
    const kinds = list.map(({ address, amount, kind }) => [address, amount, kind])
    expect(kinds).toEqual(
      expect.arrayContaining([
        [alice, 5n * AVAX, 'plain'],
        [alice, AVAX, 'plain'],
        [bob, 2n * AVAX, 'plain'],
        [bob, 3n * AVAX, 'time-locked'],
        [bob, 4n * AVAX, 'plain'],
        [alice, 5n * AVAX, 'multisig'],
        [alice, 7n, 'unknown-asset'],
        [bob, 0n, 'nft'],
      ]),
    )
    expect(list.find(({ kind }) => kind === 'nft')).toMatchObject({ assetID, reference: 'bob' })
    // Reading everything again adds nothing.
    await custody.rescan(1n)
    await synced(world, custody)
    expect(await custody.deposits()).toEqual(list)
    expect(await custody.deposits({ after: 6n, limit: 1 })).toEqual([list[6]])
    // Watched later: what exists is found by a walk, if its block is too far below the tip to be read again.
    for (let i = 0; i < 12; i++) node.fund(payer.addresses[0]!, AVAX)
    await custody.watch([carol])
    const [found] = (await depositsOf(custody, 9)).slice(8)
    expect(found).toMatchObject({ address: carol, amount: 6n * AVAX, existing: true, cursor: 9n })
    expect(await custody.audit()).toMatchObject({ balanced: true })
  })

  it('include outputs that a hot address owns, too', async () => {
    const { node, client, hot, open, work } = await scene()
    const last = textOf(new Uint8Array(20).fill(0xff))
    const custody = await open()
    await custody.watch([last], { fresh: true })
    work(custody)
    const payer = keysOf(40)
    node.fund(payer.addresses[0]!, 10n * AVAX)
    await createWallet({ client, keys: payer }).transfer({
      to: [hot, last],
      threshold: 1,
      amount: AVAX,
    })
    expect(await depositsOf(custody, 1)).toMatchObject([{ address: last, kind: 'multisig' }])
  })

  it('need addresses that are all valid: a list is watched completely or not at all', async () => {
    const { database, open } = await scene()
    const custody = await open()
    const watched = () =>
      database.query('SELECT address, reference FROM @.addresses WHERE watched ORDER BY reference')
    function* longList() {
      const address = new Uint8Array(20)
      for (let i = 0; i < 20_001; i++) {
        new DataView(address.buffer).setUint32(0, i)
        yield textOf(address)
      }
      yield 'X-not-an-address'
    }
    await expect(custody.watch(longList())).rejects.toMatchObject({ code: 'ENC_BAD_BECH32' })
    expect(await watched()).toEqual([])
    // The same address in two forms, and a reference that is given once.
    expect(await custody.watch([{ address: alice, reference: 'alice' }, alice, bob])).toBe(3)
    expect(await watched()).toMatchObject([{ reference: 'alice' }, { reference: null }])
  })

  it('wake whoever follows them', async () => {
    const { node, open, work } = await scene()
    const custody = await open()
    await custody.watch([alice], { fresh: true })
    work(custody)
    const controller = new AbortController()
    const seen: bigint[] = []
    const reading = (async () => {
      for await (const batch of custody.followDeposits({ signal: controller.signal })) {
        seen.push(...batch.map(({ amount }) => amount))
        if (seen.length < 3) node.fund(alice, BigInt(seen.length + 1) * AVAX)
        else controller.abort()
      }
    })()
    node.fund(alice, AVAX)
    await reading
    expect(seen).toEqual([AVAX, 2n * AVAX, 3n * AVAX])
  })

  describe('to an xpub', () => {
    const words =
      'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
    const { extendedPublicKey } = new HDAccount(seedFromMnemonic(words)).watch
    const account = new WatchAccount(extendedPublicKey)
    const at = (index: number) => textOf(account.address({ change: 0, index }))

    it('extend its watched range', async () => {
      const { node, open, work } = await scene()
      const custody = await open()
      await custody.watchXpub(extendedPublicKey, { gap: 3, reference: 'shop' })
      work(custody)
      node.fund(at(2), AVAX)
      await depositsOf(custody, 1)
      node.fund(at(5), AVAX)
      const list = await depositsOf(custody, 2)
      expect(list.map(({ address }) => address)).toEqual([at(2), at(5)])
      expect(list[1]).toMatchObject({ reference: 'shop' })
    })

    it('extend its range if they existed before it was watched', async () => {
      const { node, database, open, work } = await scene()
      for (const index of [2, 5]) node.fund(at(index), AVAX)
      // These blocks are too far below the tip to be read.
      for (let i = 0; i < 12; i++) node.fund(carol, AVAX)
      const custody = await open()
      await custody.watchXpub(extendedPublicKey, { gap: 3 })
      work(custody)
      const list = await depositsOf(custody, 2)
      expect(list.map(({ address, existing }) => [address, existing])).toEqual([
        [at(2), true],
        [at(5), true],
      ])
      expect(await database.query('SELECT next_index FROM @.accounts')).toEqual([
        { next_index: '9' },
      ])
    })

    it('extend a wide range in small steps, so that the session of the leader is not silent', async () => {
      const { database, open } = await scene()
      await (await open()).watchXpub(extendedPublicKey, { gap: 1 })
      const steps: number[] = []
      const queries: Queries = {
        query: (text, values = []) => {
          if (text.includes('INSERT INTO @.addresses')) steps.push((values[0] as object[]).length)
          return database.query(text, values)
        },
      }
      await watchAccount(queries, extendedPublicKey, 251, undefined)
      expect(Math.max(...steps)).toBeLessThanOrEqual(50)
      expect(steps.reduce((sum, step) => sum + step, 0)).toBe(250)
    })

    it('include those to an address that was in the hot wallet already', async () => {
      const { node, database, open, work } = await scene()
      const custody = await open({ hot: [at(1)] })
      work(custody)
      node.fund(at(1), AVAX)
      await until('the output', async () => (await custody.status()).reserves.length > 0)
      const toWalk = () => database.query('SELECT FROM @.addresses WHERE NOT walked')
      await until('walked', async () => (await toWalk()).length === 0)
      await custody.watchXpub(extendedPublicKey, { gap: 3, reference: 'old' })
      await custody.watchXpub(extendedPublicKey, { gap: 3, reference: 'new' })
      expect(await depositsOf(custody, 1)).toMatchObject([{ address: at(1), reference: 'new' }])
    })

    it.each([
      ['all of its range', 3, 6],
      ['a part of a wide range', 300, 500],
    ])(
      'extend %s in the transaction of their block, and the leader the rest',
      async (_, gap, next) => {
        const { node, client, database, open, work } = await scene()
        const custody = await open()
        await custody.watchXpub(extendedPublicKey, { gap })
        node.fund(at(gap - 1), AVAX)
        const [block] = await client.blockReader({ from: 1n }).read()
        const { assetID } = await client.context()
        const channels = channelsOf(database.schema)
        const options = { epoch: 0n, assets: [assetID], backend: nobleBackend, channels }
        await database.transaction((tx) => applyBlock(tx, block!, options))
        expect(await custody.deposits()).toHaveLength(1)
        const watched = async () => {
          const [row] = await database.query<{ count: string; next_index: string }>(
            'SELECT next_index, (SELECT count(*) FROM @.addresses WHERE watched) AS count FROM @.accounts',
          )
          expect(row!.count).toBe(row!.next_index)
          return Number(row!.count)
        }
        expect(await watched()).toBe(next)
        work(custody)
        await until('extended', async () => (await watched()) === 2 * gap)
        node.fund(at(2 * gap - 1), AVAX)
        await depositsOf(custody, 2)
      },
    )
  })

  it('show change to a watched hot address as own, and payouts to customers as plain', async () => {
    const { node, hot, open, work } = await scene()
    const custody = await open({ limits: { spareUTXOs: 0 } })
    await custody.watch([hot, alice])
    work(custody)
    node.fund(hot, 10n * AVAX)
    await custody.requestPayouts([{ key: 'internal', to: alice, amount: AVAX }])
    const list = await depositsOf(custody, 3)
    expect(list.map(({ address, kind }) => [address, kind])).toEqual(
      expect.arrayContaining([
        [hot, 'plain'],
        [alice, 'plain'],
        [hot, 'own'],
      ]),
    )
    expect(await custody.audit()).toMatchObject({ balanced: true })
  })

  it('show change of a wallet with the same keys as own, and its payments to customers as plain', async () => {
    const world = await scene()
    const { node, client, database, hot, open, work } = world
    const keys = keysOf(1, 2)
    const [, second] = keys.addresses
    const custody = await open({ keys })
    await custody.watch([hot, alice], { fresh: true })
    work(custody)
    // Change goes to the first address, also if the second one pays.
    node.fund(second!, 10n * AVAX)
    await synced(world, custody)
    for (const store of [databaseStore(database), undefined])
      await createWallet({ client, keys, store }).transfer({ to: alice, amount: AVAX })
    const list = await depositsOf(custody, 4)
    const kinds = list.map(({ address, kind }) => [address, kind])
    expect(kinds.filter(([address]) => address === hot)).toEqual([
      [hot, 'own'],
      [hot, 'own'],
    ])
    expect(kinds.filter(([address]) => address === alice)).toEqual([
      [alice, 'plain'],
      [alice, 'plain'],
    ])
    expect(await custody.audit()).toMatchObject({ balanced: true })
  })
})

describe('applyBlock', () => {
  it('refuses a stale leader and blocks out of order, without effect', async () => {
    const { node, client, database, open } = await scene()
    const custody = await open()
    await custody.watch([alice], { fresh: true })
    node.fund(alice, AVAX)
    node.fund(alice, AVAX)
    const context = await client.context()
    const options = {
      epoch: 5n,
      assets: [context.assetID],
      backend: nobleBackend,
      channels: channelsOf(database.schema),
    }
    await database.query('UPDATE @.chain SET epoch = 5')
    const reader = client.blockReader({ from: 1n })
    const blocks = [...(await reader.read()), ...(await reader.read())]
    const apply = (i: number, epoch = 5n) =>
      database.transaction((tx) => applyBlock(tx, blocks[i]!, { ...options, epoch }))
    expect(await apply(1)).toBeUndefined()
    await expect(apply(0, 4n)).rejects.toMatchObject({ code: 'LEADER_LOST' })
    expect(await custody.deposits()).toEqual([])
    expect(await apply(0)).toMatchObject({ deposits: 1 })
    expect(await apply(0)).toBeUndefined()
    // Of another chain: its parent is not the last block.
    const forged = {
      ...blocks[1]!,
      block: { ...blocks[1]!.block, parentID: new Uint8Array(32).fill(9) },
    }
    expect(await database.transaction((tx) => applyBlock(tx, forged, options))).toBeUndefined()
    expect(await custody.deposits()).toHaveLength(1)
  })
})
