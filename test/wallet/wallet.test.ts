import { describe, expect, it } from 'vitest'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { exportedUTXOs } from '../../src/core/chain/x/created.ts'
import { txID } from '../../src/core/chain/x/ids.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import { requireSigned } from '../../src/core/sign/job.ts'
import { signDraft } from '../../src/core/sign/sign.ts'
import { keyChainSigner } from '../../src/core/sign/signers.ts'
import { createNodeClient } from '../../src/node/index.ts'
import { createWallet } from '../../src/wallet/index.ts'
import { virtualClock } from '../helpers/virtual-clock.ts'
import { AVAX, addressOf, balanceOf, fee, now, people, scene, utxosOf } from './setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const chains = networks.local.chains

describe('createWallet', () => {
  it('refuses to be created without addresses', async () => {
    const { wallet } = await scene()
    expect(() => wallet({ keys: new KeyChain([]) })).toThrow(
      expect.objectContaining({ code: 'NO_ADDRESSES' }),
    )
  })

  it('refuses addresses of another network', async () => {
    const { wallet } = await scene()
    const fuji = 'X-fuji1ur873jhz9qnaqv5qthk5sn3e8nj3e0kmafyxut'
    await expect(wallet({ addresses: [fuji] }).balances()).rejects.toMatchObject({
      code: 'ENC_WRONG_HRP',
    })
  })
})

describe('createWallet from plain JavaScript', () => {
  const invalid: { readonly [name: string]: object } = {
    'an address instead of a list': { addresses: addressOf(me) },
    'a signer instead of a list': { signers: keyChainSigner(me) },
    'a list without signers': { signers: [null] },
    'a store that is null': { store: null },
    'a store without methods': { store: {} },
    'a clock that is null': { clock: null },
    'a confirm that is not a function': { confirm: 'yes' },
  }
  for (const [name, options] of Object.entries(invalid))
    it(`refuses ${name}`, async () => {
      const { wallet } = await scene()
      expect(() => wallet(options)).toThrow(expect.objectContaining({ code: 'ENC_INVALID' }))
    })
})

describe('balances', () => {
  it('lists UTXOs of this chain, and those that another chain exported', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 5_000_000n)
    node.exportFrom('C', { address: me.addresses[0]!, amount: 7_000_000n })
    const mine = wallet()
    expect(await mine.balances()).toMatchObject([{ assetID: AVAX, spendable: 5_000_000n }])
    expect(await mine.balances({ sourceChain: 'C' })).toMatchObject([
      { assetID: AVAX, spendable: 7_000_000n, spendableUTXOs: 1 },
    ])
  })
})

describe('transfer', () => {
  it('pays one output and gives change back', async () => {
    const { node, client, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    const { txID, explanation } = await wallet().transfer({
      to: addressOf(you),
      amount: 3_000_000n,
      memo: 'rent',
    })
    expect(await balanceOf(node, you)).toBe(3_000_000n)
    expect(await balanceOf(node, me)).toBe(6_000_000n)
    const { unsignedTx } = await client.avm.getTx({ txID })
    expect(new TextDecoder().decode(unsignedTx.memo)).toBe('rent')
    expect(explanation?.pays).toMatchObject([{ amount: 3_000_000n, change: false }])
  })

  it('pays several assets to several owners, with locks and thresholds', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    const mine = wallet()
    const { txID: assetID } = await mine.createAsset({
      name: 'Coupon',
      symbol: 'CPN',
      holders: [{ to: addressOf(me), amount: 100n }],
    })
    await mine.transfer({
      outputs: [
        { to: addressOf(you), amount: 40n, assetID },
        { to: [addressOf(you), addressOf(third)], threshold: 2, amount: 1_000n },
        { to: addressOf(third), amount: 2_000n, locktime: 1_800_000_000n },
      ],
    })
    expect(await balanceOf(node, you, assetID)).toBe(40n)
    expect(await balanceOf(node, me, assetID)).toBe(60n)
    const shared = (await utxosOf(node, third)).map(({ output }) => output)
    expect(shared).toContainEqual(
      expect.objectContaining({ amount: 1_000n, threshold: 2, locktime: 0n }),
    )
    expect(shared).toContainEqual(
      expect.objectContaining({ amount: 2_000n, threshold: 1, locktime: 1_800_000_000n }),
    )
  })

  it('asks for confirmation before anything is signed', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    const order: string[] = []
    const signer = keyChainSigner(me)
    const watched = {
      addresses: me.addresses,
      sign: (query: Parameters<typeof signer.sign>[0]) => {
        order.push('sign')
        return signer.sign(query)
      },
    }
    await wallet({ keys: new KeyChain([]), signers: [watched] }).transfer(
      { to: addressOf(you), amount: 5n },
      {
        confirm: ({ title, pays, fee: charged }) => {
          order.push(`confirm ${pays[0]?.owners.addresses[0]} ${pays[0]?.amount} ${charged}`)
          return title.length > 0
        },
      },
    )
    expect(order).toEqual([`confirm ${addressOf(you)} 5 ${fee}`, 'sign'])
  })

  for (const answer of ['no', 1, {}, undefined, Promise.resolve({ approved: false })])
    it(`takes ${JSON.stringify(answer)} as no confirmation`, async () => {
      const { node, wallet } = await scene()
      node.fund(addressOf(me), 10n * fee)
      const confirm = () => answer as boolean
      const { transfer, sweep } = wallet()
      const refused = { code: 'NOT_CONFIRMED' }
      const call = { to: addressOf(you), amount: 5n }
      await expect(transfer(call, { confirm })).rejects.toMatchObject(refused)
      await expect(sweep({ to: call.to }, { confirmPlan: confirm })).rejects.toMatchObject(refused)
      expect(await balanceOf(node, you)).toBe(0n)
    })

  it('issues nothing without confirmation, and releases the UTXOs', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    const before = hex.encode(node.stateDigest())
    const mine = wallet({ confirm: () => false })
    await expect(mine.transfer({ to: addressOf(you), amount: 5n })).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
    })
    expect(hex.encode(node.stateDigest())).toBe(before)
    expect(await mine.balances()).toMatchObject([{ spendable: 10n * fee, reserved: 0n }])
  })

  it('explains assets with their symbol and denomination', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    const mine = wallet()
    const { txID: assetID } = await mine.createAsset({
      name: 'Coupon',
      symbol: 'CPN',
      denomination: 2,
      holders: [{ to: addressOf(me), amount: 100n }],
    })
    const { explanation } = await mine.prepare.transfer({ to: addressOf(you), amount: 1n, assetID })
    expect(Object.values(explanation.assets)).toContainEqual({
      symbol: 'CPN',
      denomination: 2,
      known: true,
    })
  })

  it('burns amounts', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    await wallet().transfer({ to: addressOf(you), amount: 5n, burn: [{ amount: 7n }] })
    expect(await balanceOf(node, me)).toBe(9n * fee - 12n)
  })

  it('burns several assets at once', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 30n * fee)
    const mine = wallet()
    const assetIDs: Uint8Array[] = []
    for (const symbol of ['A', 'B', 'C']) {
      const holders = [{ to: addressOf(me), amount: 10n }]
      assetIDs.push((await mine.createAsset({ name: symbol, symbol, holders })).txID)
    }
    const burn = [{ amount: 7n }, ...assetIDs.map((assetID) => ({ assetID, amount: 3n }))]
    await mine.transfer({ to: addressOf(you), amount: 5n, burn })
    for (const assetID of assetIDs) expect(await balanceOf(node, me, assetID)).toBe(7n)
  })

  it('reports how much is missing', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), fee)
    await expect(wallet().transfer({ to: addressOf(you), amount: 5n })).rejects.toMatchObject({
      code: 'BUILDER_INSUFFICIENT_FUNDS',
      assets: [{ needed: fee + 5n, available: fee }],
    })
  })

  it('does not spend a UTXO whose locktime the node may not have reached', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    const to = { to: addressOf(me), amount: 5n * fee, locktime: BigInt(now) }
    await wallet().transfer(to)
    expect(await wallet().balances()).toMatchObject([{ locked: 5n * fee }])
    expect(await wallet({ clockSkewSeconds: 0 }).balances()).toMatchObject([{ locked: 0n }])
  })
})

describe('arguments', () => {
  it('may be changed by the caller while the call is in progress', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 4; i++) node.fund(addressOf(me), 10n * fee)
    const mine = wallet()
    const output = { to: addressOf(you), amount: 0n }
    const call = { outputs: [output] }
    const run = { key: '' }
    const pay = (to: KeyChain, amount: bigint, key: string) => {
      output.to = addressOf(to)
      output.amount = amount
      run.key = key
      return mine.transfer(call, run)
    }
    await Promise.all([pay(you, 5n, 'a'), pay(third, 7n, 'b')])
    await Promise.all([pay(you, 50n, 'c'), pay(third, 70n, 'd')])
    expect([await balanceOf(node, you), await balanceOf(node, third)]).toEqual([55n, 77n])
    const paid = await mine.payments(['a', 'b', 'c', 'd'])
    expect(paid.map(({ status }) => status)).toEqual(Array(4).fill('accepted'))
  })

  it('are copied: neither wallet options nor submitted bytes change later', async () => {
    const { node, wallet, client } = await scene()
    const other = await scene()
    node.fund(addressOf(me), 10n * fee)
    node.fund(addressOf(me), 10n * fee)
    const options = { keys: me, client, clock: virtualClock() }
    const mine = createWallet(options)
    options.client = other.client
    const drafts = [await mine.prepare.transfer({ to: addressOf(you), amount: 5n })]
    drafts.push(await mine.prepare.transfer({ to: addressOf(third), amount: 7n }))
    const signed = drafts.map(({ draft }) => requireSigned(signDraft(draft, me)).bytes)
    const buffer = new Uint8Array(signed[0]!.length)
    const submitted = signed.map((bytes) => {
      buffer.set(bytes)
      return wallet().submit(buffer)
    })
    const receipts = await Promise.all(submitted)
    expect(receipts.map(({ txID: id }) => id)).toEqual(signed.map(txID))
    expect([await balanceOf(node, you), await balanceOf(node, third)]).toEqual([5n, 7n])
  })

  it('are ignored if the caller has aborted', async () => {
    const { wallet } = await scene()
    const call = { to: addressOf(you), amount: 5n }
    const left = wallet().transfer(call, { signal: AbortSignal.abort() })
    await expect(left).rejects.toMatchObject({ code: 'ABORTED' })
  })
})

describe('arguments that would be ignored', () => {
  const payment = { to: addressOf(you), amount: 5n }
  const calls: { readonly [name: string]: readonly [call: object, options?: unknown] } = {
    'a text as options': [payment, 'invoice 7'],
    'a list as options': [payment, ['invoice 7']],
    'a misspelled key': [payment, { Key: 'invoice 7' }],
    'another name of the key': [payment, { idempotencyKey: 'invoice 7' }],
    'a misspelled confirm': [payment, { Confirm: () => false }],
    'a key in the first argument': [{ ...payment, key: 'invoice 7' }],
    'keys in the first argument': [{ outputs: [payment], keys: ['invoice 7'] }],
    'a key of an output': [{ outputs: [{ ...payment, key: 'invoice 7' }] }],
    'a misspelled limit': [{ ...payment, maxfee: 1n }],
    'a misspelled memo': [{ outputs: [payment], Memo: 'customer 7' }],
    'an unknown way to choose': [{ ...payment, choose: { exclude: [] } }],
    'a choice that is not an object': [{ ...payment, choose: 5 }],
  }
  for (const [name, [call, options]] of Object.entries(calls))
    it(`are refused: ${name}`, async () => {
      const { node, wallet } = await scene()
      node.fund(addressOf(me), 10n * fee)
      const mine = wallet()
      const pay = mine.transfer as (call: object, options: unknown) => Promise<unknown>
      const code = /^(a text|a list|a choice)/.test(name) ? 'ENC_INVALID' : 'UNKNOWN_OPTION'
      await expect(pay(call, options)).rejects.toMatchObject({ code })
      expect(await mine.payments()).toEqual([])
    })

  it('are refused by every method with options', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    const mine = wallet()
    const { draft } = await mine.prepare.transfer(payment)
    const options = { Wait: { timeoutMs: 5 }, fromHeight: 1n } as object
    const refused = [
      mine.prepare.transfer(payment, options),
      mine.sweep({ to: addressOf(you) }, options),
      mine.consolidate({}, options),
      mine.import({ sourceChain: 'P' }, options),
      mine.sign(draft, options),
      mine.request(draft, options),
      mine.submit(requireSigned(signDraft(draft, me)), options),
      mine.resume(options),
      mine.unrecorded(options as { fromHeight: bigint }),
      mine.cancel('a', options),
    ]
    for (const call of refused) await expect(call).rejects.toMatchObject({ code: 'UNKNOWN_OPTION' })
    const assets = { to: addressOf(you), Assets: [AVAX] }
    await expect(mine.sweep(assets)).rejects.toMatchObject({ code: 'UNKNOWN_OPTION' })
  })

  it('are refused if they are of the wrong type', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    const mine = wallet()
    const { prepare } = mine
    const assetID = new Uint8Array(32)
    const nft = { assetID, payload: 'a', groupID: 0 }
    const calls: readonly ((value: never) => Promise<unknown>)[] = [
      (pinned) => prepare.transfer({ ...payment, choose: { pinned } }),
      (consolidate) => prepare.transfer({ ...payment, choose: { consolidate } }),
      (maxInputs) => prepare.transfer({ ...payment, choose: { consolidate: { maxInputs } } }),
      (operations) => prepare.operate({ operations }),
      (operation) => prepare.operate({ operations: [operation] }),
      (type) => prepare.operate({ operations: [{ type, assetID }] }),
      (recipients) => prepare.mintNFT({ ...nft, recipients }),
      (recipients) => mine.mintNFT({ ...nft, recipients }),
      (withoutAssets) => prepare.sweep({ to: addressOf(you), withoutAssets }),
      (from) => prepare.sweep({ to: addressOf(you), from }),
      (confirm) => mine.transfer(payment, { confirm }),
      (confirmPlan) => mine.consolidate({}, { confirmPlan }),
      (onProgress) => mine.consolidate({}, { onProgress }),
      (resendMs) => mine.transfer(payment, { wait: { resendMs } }),
    ]
    for (const call of calls)
      for (const value of ['x', Number.NaN, Symbol('s')] as never[])
        await expect(call(value), String(call)).rejects.toMatchObject({ code: 'ENC_INVALID' })
    for (const resendMs of [0, -1])
      await expect(mine.transfer(payment, { wait: { resendMs } })).rejects.toMatchObject({
        code: 'ENC_INVALID',
      })
    const amount = Symbol('s') as unknown as bigint
    await expect(prepare.transfer({ ...payment, amount })).rejects.toMatchObject({
      code: 'ENC_INVALID',
    })
    expect(await mine.payments()).toEqual([])
  })

  it('are refused: a key that is also in the options', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    const mine = wallet()
    const row = { ...payment, key: 'invoice 7' }
    const refused = { code: 'UNKNOWN_OPTION' }
    await expect(mine.transfer(row, { key: row.key })).rejects.toMatchObject(refused)
    const several = mine.transfer({ outputs: [row] }, { keys: [row.key] })
    await expect(several).rejects.toMatchObject({ ...refused, path: 'outputs[0].key' })
    expect(await mine.payments()).toEqual([])
  })
})

describe('a clock ahead of the node', () => {
  it('does not spend what the node still considers locked', async () => {
    const { node, clock } = await scene()
    const hour = 3_600
    const ahead = { ...clock, now: () => clock.now() + hour * 1000 }
    const own = createNodeClient({ url: 'http://node.test', fetch: node.fetch, clock: ahead })
    const mine = createWallet({ client: own, keys: me, clock: ahead })
    node.fund(addressOf(me), 10n * fee)
    const locktime = BigInt(now + hour / 2)
    await mine.transfer({ to: addressOf(me), amount: 9n * fee, locktime })
    await expect(mine.transfer({ to: addressOf(you), amount: 5n })).rejects.toMatchObject({
      code: 'BUILDER_INSUFFICIENT_FUNDS',
      assets: [{ locked: 9n * fee, nextUnlock: locktime }],
    })
    node.setTime(locktime + 10n)
    await mine.transfer({ to: addressOf(you), amount: 5n })
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('is compared with the clock of the node, which may be at 0', async () => {
    const { node, clock, wallet } = await scene()
    const ahead = { ...clock, now: () => clock.now() + 3_600_000 }
    const mine = wallet({ clock: ahead })
    node.fund(addressOf(me), 20n * fee)
    await mine.transfer({ to: addressOf(me), amount: 9n * fee, locktime: BigInt(now + 1_800) })
    expect(await mine.balances()).toMatchObject([{ locked: 9n * fee }])
    node.setTime(0)
    expect(await mine.balances()).toMatchObject([{ spendable: 10n * fee }])
  })
})

describe('concurrent calls', () => {
  it('never select the same UTXO', async () => {
    const { node, client, wallet } = await scene()
    for (let i = 0; i < 8; i++) node.fund(addressOf(me), 2n * fee)
    const mine = wallet()
    const receipts = await Promise.all(
      Array.from({ length: 8 }, () => mine.transfer({ to: addressOf(you), amount: fee })),
    )
    const spent = await Promise.all(
      receipts.map(async ({ txID }) => (await client.avm.getTx({ txID })).unsignedTx.inputs),
    )
    const names = spent.flat().map((input) => `${hex.encode(input.txID)}:${input.outputIndex}`)
    expect(new Set(names).size).toBe(names.length)
    expect(await balanceOf(node, you)).toBe(8n * fee)
    expect(await balanceOf(node, me)).toBe(0n)
  })

  it('wait for the change of each other if there is one UTXO', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 20n * fee)
    const mine = wallet()
    const amounts = [1n, 2n, 3n, 4n, 5n]
    await Promise.all(amounts.map((amount) => mine.transfer({ to: addressOf(you), amount })))
    expect(await balanceOf(node, you)).toBe(15n)
    expect(await balanceOf(node, me)).toBe(15n * fee - 15n)
  })

  it('do not wait longer for UTXOs because the clock is set back', async () => {
    const { node, wallet, clock } = await scene({
      intercept: ({ method }, next) =>
        method === 'avm.issueTx' ? new Response('no', { status: 403 }) : next(),
    })
    node.fund(addressOf(me), 20n * fee)
    const mine = wallet()
    const payment = { to: addressOf(you), amount: 1n }
    const first = mine.transfer(payment, { key: 'a', wait: { timeoutMs: 60_000 } })
    first.catch(() => {})
    await clock.sleep(100)
    const start = clock.slept()
    const setBack = clock.sleep(1_000).then(() => clock.advance(-3_600_000))
    await expect(
      mine.transfer(payment, { key: 'b', wait: { timeoutMs: 3_000 } }),
    ).rejects.toMatchObject({ code: 'BUILDER_INSUFFICIENT_FUNDS' })
    expect(clock.slept() - start).toBeLessThan(5_000)
    await setBack
    await expect(first).rejects.toMatchObject({ code: 'TX_PENDING' })
  })

  it('take turns with the mint output', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 4; i++) node.fund(addressOf(me), 2n * fee)
    const mine = wallet()
    const { txID: assetID } = await mine.createAsset({
      name: 'Coupon',
      symbol: 'CPN',
      minters: [{ to: addressOf(me) }],
    })
    const call = { assetID, to: addressOf(you), amount: 10n }
    await Promise.all([mine.mint(call), mine.mint(call), mine.mint(call)])
    expect(await balanceOf(node, you, assetID)).toBe(30n)
  })
})

describe('sendAll', () => {
  it('sends the whole balance less the fee', async () => {
    const { node, wallet } = await scene()
    for (const amount of [3n, 4n, 5n]) node.fund(addressOf(me), amount * fee)
    await wallet().sendAll({ to: addressOf(you) })
    expect(await balanceOf(node, you)).toBe(11n * fee)
    expect(await utxosOf(node, me)).toEqual([])
  })

  it('sends all but the excluded UTXOs, or only the given ones', async () => {
    const { node, wallet } = await scene()
    for (const amount of [3n, 4n, 5n]) node.fund(addressOf(me), amount * fee)
    const [first, second] = await utxosOf(node, me)
    await wallet().sendAll({ to: addressOf(you), choose: { only: [first!] } })
    await wallet().sendAll({ to: addressOf(you), choose: { excluded: [second!] } })
    expect(await utxosOf(node, me)).toEqual([second])
  })

  it('waits for the change of a pending payment', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 10n * fee)
    const mine = wallet()
    let sending: Promise<unknown> | undefined
    const confirm = () => {
      sending = mine.sendAll({ to: addressOf(you) })
      return true
    }
    await mine.transfer({ to: addressOf(third), amount: 2n * fee }, { confirm })
    await sending
    expect(await balanceOf(node, you)).toBe(16n * fee)
    expect(await utxosOf(node, me)).toEqual([])
  })

  it('of an asset with UTXOs that stay reserved fails, unless they are excluded', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 10n * fee)
    const mine = wallet()
    const { draft } = await mine.prepare.transfer({ to: addressOf(third), amount: 2n * fee })
    await expect(
      mine.sendAll({ to: addressOf(you) }, { key: 'a', wait: { timeoutMs: 1_000 } }),
    ).rejects.toMatchObject({
      code: 'BUILDER_INSUFFICIENT_FUNDS',
      assets: [{ needed: 20n * fee, available: 10n * fee, reserved: 10n * fee }],
    })
    const choose = { excluded: draft.utxos }
    await mine.sendAll({ to: addressOf(you), choose }, { key: 'a' })
    expect(await balanceOf(node, you)).toBe(9n * fee)
  })
})

describe('export and import', () => {
  it('creates an output for the other chain', async () => {
    const { node, client, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    const to = addressOf(you, 'P')
    const { txID } = await wallet().export({ destinationChain: 'P', to, amount: 4n * fee })
    const [exported] = exportedUTXOs(await client.avm.getTx({ txID }))
    expect(exported?.output).toMatchObject({ amount: 4n * fee, addresses: you.addresses })
    expect(node.exportedUTXOs(chains.P!)).toHaveLength(1)
  })

  it('imports everything that another chain exported', async () => {
    const { node, wallet } = await scene()
    const address = me.addresses[0]!
    node.exportFrom('C', { address, amount: 5n * fee })
    node.exportFrom('C', { address, amount: 6n * fee })
    const mine = wallet()
    const result = await mine.import({ sourceChain: 'C' })
    expect(result).toMatchObject({ utxoCount: 2, moved: [{ amount: 10n * fee }], resumed: [] })
    expect(await balanceOf(node, me)).toBe(10n * fee)
    expect(await mine.import({ sourceChain: 'C' })).toMatchObject({ txIDs: [] })
  })
})

describe('assets', () => {
  it('can be created and minted, NFTs transferred, properties burned', async () => {
    const { node, client, wallet } = await scene()
    node.fund(addressOf(me), 20n * fee)
    const mine = wallet()
    const to = addressOf(me)
    const { txID: assetID } = await mine.createAsset({
      name: 'Everything',
      symbol: 'ALL',
      holders: [{ to, amount: 5n }],
      minters: [{ to }],
      nftMinters: [{ groupID: 7, to }],
      propertyMinters: [{ to }],
    })
    expect(await client.avm.getAssetDescription({ assetID })).toMatchObject({ symbol: 'ALL' })
    await mine.mint({ assetID, amount: 20n, to: addressOf(you) })
    expect(await balanceOf(node, you, assetID)).toBe(20n)
    await mine.mintNFT({ assetID, payload: 'cat', recipients: [{ to }] })
    await mine.transferNFT({ assetID, groupID: 7, to: addressOf(you) })
    await mine.mintProperty({ assetID, to })
    const types = async (keys: KeyChain) =>
      (await utxosOf(node, keys)).map(({ output }) => output.type)
    expect(await types(you)).toContain('nftfx.TransferOutput')
    expect(await types(me)).toContain('propertyfx.OwnedOutput')
    await mine.burnProperty({ assetID })
    expect(await types(me)).not.toContain('propertyfx.OwnedOutput')
    await mine.operate({
      operations: [
        { type: 'mint', assetID, amount: 1n, to },
        { type: 'mintProperty', assetID, to },
      ],
    })
    expect(await balanceOf(node, me, assetID)).toBe(6n)
  })
})

describe('prepare, sign and submit', () => {
  it('make a payment in three steps', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    const mine = wallet()
    const prepared = await mine.prepare.transfer({ to: addressOf(you), amount: 5n })
    expect(prepared.explanation).toMatchObject({ fee, signatures: { needed: 1, made: 0 } })
    // Reserved for the draft, so that no other call selects it.
    expect(await mine.balances()).toMatchObject([{ spendable: 0n, reserved: 10n * fee }])
    const signed = await mine.sign(prepared)
    if (!signed.complete) throw new Error('incomplete')
    const { txID } = await mine.submit(signed)
    expect(txID).toEqual(signed.txID)
    prepared.release()
    expect(await balanceOf(node, you)).toBe(5n)
    // The same transaction again, as bytes and decoded.
    await mine.submit(signed.bytes)
    await mine.submit(signed.signedTx)
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('release the UTXOs of a draft that is not used', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    const mine = wallet()
    const { release } = await mine.prepare.transfer({ to: addressOf(you), amount: 5n })
    release()
    expect(await mine.balances()).toMatchObject([{ spendable: 10n * fee, reserved: 0n }])
  })

  it('sign a burn only if the draft declares it, per asset and in full', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 30n * fee)
    const mine = wallet()
    const holders = [{ to: addressOf(me), amount: 1000n }]
    const asset = { name: 'Token', symbol: 'TOK', holders }
    const { txID: assetID } = await mine.createAsset(asset)
    const { draft } = await mine.prepare.transfer({ to: addressOf(you), amount: 1n, assetID })
    const outputs = draft.unsignedTx.outputs.filter(({ output }) => output.amount !== 999n)
    const burning = { ...draft, unsignedTx: { ...draft.unsignedTx, outputs } }
    const declarations: readonly unknown[] = [
      undefined,
      [],
      [{ assetID: AVAX, amount: 0n }],
      [{ assetID: AVAX, amount: 999n }],
      [{ assetID, amount: 998n }],
    ]
    for (const burned of declarations)
      await expect(
        mine.sign({ ...burning, burned: burned as typeof draft.burned }),
      ).rejects.toMatchObject({ code: 'BURN' })
    const declared = await mine.sign({ ...burning, burned: [{ assetID, amount: 999n }] })
    expect(declared.complete).toBe(true)
  })

  it('sign partly if other keys must sign too', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    await wallet().transfer({
      to: [addressOf(me), addressOf(you)],
      threshold: 2,
      amount: 8n * fee,
    })
    const both = wallet({ addresses: [addressOf(me), addressOf(you)] })
    const payment = { to: addressOf(third), amount: 5n * fee }
    await expect(both.transfer(payment)).rejects.toMatchObject({ code: 'INCOMPLETE' })
    // Nothing was issued, so the UTXOs are free for the multi-step way.
    const { draft } = await both.prepare.transfer(payment)
    const partly = await both.sign(draft)
    if (partly.complete) throw new Error('complete')
    expect(partly.missing.map(({ address }) => address)).toEqual([you.addresses[0]])
    const whole = signDraft(draft, you, { signatures: partly.signatures })
    if (!whole.complete) throw new Error('incomplete')
    await both.submit(whole)
    expect(await balanceOf(node, third)).toBe(5n * fee)
  })
})

describe('export with allowStuck', () => {
  it('signs what could never be imported, and only then', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 30n * fee)
    const mine = wallet()
    const { txID: assetID } = await mine.createAsset({
      name: 'Token',
      symbol: 'TOK',
      holders: [{ to: addressOf(me), amount: 100n }],
    })
    const call = { destinationChain: 'C', to: addressOf(you, 'C'), amount: 5n, assetID } as const
    await expect(mine.export(call)).rejects.toMatchObject({ code: 'STUCK_EXPORT' })
    for (const allowStuck of ['no', 'false', 1, {}] as unknown[] as boolean[])
      await expect(mine.export({ ...call, allowStuck })).rejects.toMatchObject({
        code: 'ENC_INVALID',
      })
    expect(await balanceOf(node, me, assetID)).toBe(100n)
    expect((await mine.export({ ...call, allowStuck: true })).txID).toHaveLength(32)
  })
})

describe('choose', () => {
  it('has only members that are known, also for sendAll', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const utxos = await utxosOf(node, me)
    const mine = wallet()
    const to = addressOf(you)
    const wrong = [
      [{ exclude: utxos }, 'UNKNOWN_OPTION'],
      [{ owners: [] }, 'UNKNOWN_OPTION'],
      [{ pinned: 5 }, 'ENC_INVALID'],
      ['all', 'ENC_INVALID'],
    ] as const
    for (const [choose, code] of wrong)
      await expect(
        mine.transfer({ to, amount: 5n, choose: choose as object }),
      ).rejects.toMatchObject({ code })
    const everything = { to, choose: { excluded: utxos } }
    const short = { code: 'BUILDER_INSUFFICIENT_FUNDS' }
    await expect(mine.sendAll(everything)).rejects.toMatchObject(short)
    await expect(mine.transfer({ ...everything, amount: 5n })).rejects.toMatchObject(short)
  })
})
