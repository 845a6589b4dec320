import { beforeAll, describe, expect, it } from 'vitest'
import { cb58 } from '../../src/core/base/encoding/cb58.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { WatchAccount } from '../../src/core/crypto/hd/index.ts'
import type { KeyChain } from '../../src/core/crypto/keychain.ts'
import { requireSigned } from '../../src/core/sign/job.ts'
import { createDevNode } from '../../src/devnode/index.ts'
import { createCChainClient, createNodeClient, createPChainClient } from '../../src/node/index.ts'
import {
  addressHistory,
  discoverAccount,
  indexedHistory,
  usedByDataAPI,
} from '../../src/wallet/discovery/index.ts'
import { createWallet } from '../../src/wallet/index.ts'
import { createCrossChainWallet } from '../../src/wallet/moves/index.ts'
import { fileStore, memoryStore } from '../../src/wallet/store/index.ts'
import { indexedDBStore } from '../../src/wallet/store/indexed-db.ts'
import { thrownBy } from '../helpers/unknown-members.ts'
import { virtualClock } from '../helpers/virtual-clock.ts'
import { AVAX, addressOf, balanceOf, fee, people, type Scene, scene } from './setup.ts'

type Call = (...args: unknown[]) => unknown
type Path = readonly (string | number)[]

const [me, you] = people as [KeyChain, KeyChain]
const to = addressOf(you)
const address = you.addresses[0]!
const owners = { to: [to], threshold: 1, locktime: 0n }
const utxo = { txID: new Uint8Array(32), outputIndex: 0 }
const choose = { pinned: [], excluded: [], only: [], order: [], strategy: 'fewest' }
const tx = {
  changeTo: { to: [to], threshold: 1 },
  memo: 'a',
  burn: [{ amount: 1n, assetID: AVAX }],
  maxFee: fee,
  maxSize: 9000,
  choose: { ...choose, consolidate: { maxInputs: 5, maxSize: 5000 } },
}
const output = { ...owners, amount: 1n, assetID: AVAX }
const shared = { assets: [AVAX], withoutAssets: [], memo: 'a', maxFee: fee, maxSize: 9000 }
const wait = { wait: { timeoutMs: 50, resendMs: 50 }, signal: AbortSignal.abort() }
const send = { ...wait, confirm: () => false, accept: ['HIGH_FEE'] }
const run = { ...send, key: 'a' }
const batch = { ...send, inFlight: 1, onProgress() {}, confirmPlan: () => false }
const nft = { assetID: AVAX, utxo, groupID: 0 }
const paths = [{ address, path: "m/44'/9000'/0'/0/0" }]
const single: { readonly [name: string]: object } = {
  transfer: { ...tx, outputs: [output] },
  sendAll: { ...owners, changeTo: to, assetID: AVAX, choose: { excluded: [], only: [] } },
  export: { ...tx, destinationChain: 'P', allowStuck: false, outputs: [output] },
  createAsset: {
    ...tx,
    name: 'A',
    symbol: 'A',
    holders: [{ ...owners, amount: 1n }],
    minters: [owners],
    nftMinters: [{ ...owners, groupID: 0 }],
    nfts: [{ ...owners, groupID: 0, payload: 'a' }],
    propertyMinters: [owners],
    properties: [owners],
  },
  operate: {
    ...tx,
    operations: [
      { type: 'mint', assetID: AVAX, ...owners, amount: 1n },
      { type: 'mintNFT', ...nft, payload: 'a', recipients: [owners] },
      { type: 'transferNFT', ...nft, ...owners },
      { type: 'mintProperty', assetID: AVAX, ...owners },
      { type: 'burnProperty', assetID: AVAX },
    ],
  },
  mint: { ...tx, assetID: AVAX, ...owners, amount: 1n },
  mintNFT: { ...tx, ...nft, payload: 'a', recipients: [owners] },
  transferNFT: { ...tx, ...nft, ...owners },
  mintProperty: { ...tx, assetID: AVAX, ...owners },
  burnProperty: { ...tx, assetID: AVAX },
}
const batches: { readonly [name: string]: object } = {
  sweep: { ...owners, ...shared, clearSign: false, dustThreshold: 0n, changeTo: to, from: [to] },
  consolidate: { ...shared, clearSign: false, dustThreshold: 0n, to },
  import: {
    ...owners,
    ...shared,
    sourceChain: 'P',
    utxos: [utxo],
    feeFrom: 'either',
    changeTo: to,
  },
}
const lists: { readonly [name: string]: object } = {
  payouts: {
    changeTo: to,
    maxFee: fee,
    choose: { excluded: [], only: [] },
    payments: [{ ...output, key: 'a', memo: 'b' }],
    size: 1,
    partial: false,
  },
}
const move = { from: 'X', to: 'P', amount: 1n, assetID: AVAX, recipient: to, maxFee: fee }
const stray = { sourceChain: 'X', destinationChain: 'P', recipient: to, maxFee: fee }
const moving = { ...wait, key: 'a', confirm: () => false }
const claim = {
  kind: 'export',
  payments: [{ key: 'a', digest: new Uint8Array(32), generated: false }],
  bytes: new Uint8Array(1),
  fromHeight: 1n,
  leg: { chain: 'X', inputs: [utxo], note: new Uint8Array(1) },
  again: false,
}
const context = networks.local
const data = { list: async function* () {} }

/** Places of values that are used by reference or are structs of the protocol. */
const EXEMPT =
  /^(client|keys|signers|store|clock|backend|pChain|cChain|data|signal|utxo)$|^(utxos|inputs|chains)$/

/** The paths of all plain objects in a value. */
function* objectsIn(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return
  if (value instanceof AbortSignal) return
  if (!Array.isArray(value)) yield path
  for (const [name, member] of Object.entries(value))
    if (!EXEMPT.test(name)) yield* objectsIn(member, [...path, Array.isArray(value) ? +name : name])
}

/** A copy in which the object at a path is replaced. */
function replaced(value: unknown, path: Path, change: (object: object) => unknown): unknown {
  const [first, ...rest] = path
  if (first === undefined) return change(value as object)
  const member = replaced((value as never)[first], rest, change)
  return Array.isArray(value)
    ? value.with(+first, member)
    : { ...(value as object), [first]: member }
}

const textOf = (path: Path) =>
  path
    .map((one) => (typeof one === 'number' ? `[${one}]` : `.${one}`))
    .join('')
    .replace(/^\./, '')

describe('every public call', () => {
  let calls: { readonly [name: string]: readonly [call: Call, ...args: unknown[]] }
  let submit: Call
  let members: { readonly wallet: string[]; readonly moves: string[]; readonly prepare: string[] }
  beforeAll(async () => {
    const node = await createDevNode()
    const clock = virtualClock()
    const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch, clock })
    const options = {
      client,
      keys: me,
      signers: [],
      addresses: [to],
      changeTo: to,
      store: memoryStore(),
      confirm: () => false,
      wait: { timeoutMs: 50, resendMs: 50 },
      signing: { maxFee: fee, paths },
      clock,
      clockSkewSeconds: 5,
      maxRebuilds: 1,
      quorum: 1,
    }
    const url = { url: 'http://node.test', fetch: (async () => new Response()) as never }
    const crossOptions = {
      ...options,
      publicKeys: [],
      pChain: createPChainClient(url),
      cChain: createCChainClient(url),
      confirmMove: () => false,
    }
    const wallet = createWallet(options) as never as { [name: string]: Call }
    submit = wallet.submit!
    const prepare = wallet.prepare as never as { [name: string]: Call }
    const cross = createCrossChainWallet(crossOptions) as never as { [name: string]: Call }
    members = {
      wallet: Object.keys(wallet),
      moves: Object.keys(cross).filter((name) => !(name in wallet)),
      prepare: Object.keys(prepare).map((name) => `prepare.${name}`),
    }
    const store = memoryStore() as never as { [name: string]: Call }
    const walk = { client, addresses: [address], signal: wait.signal, onProgress() {} }
    const index = { data, context, signal: wait.signal }
    const { networkID, chainID } = networks.local
    const base = {
      networkID,
      blockchainID: chainID,
      outputs: [],
      inputs: [],
      memo: new Uint8Array(),
    }
    const unsignedTx = { type: 'BaseTx', ...base }
    const draft = { chain: 'X', unsignedTx, utxos: [], context: networks.local, change: [] }
    const named = (from: { [name: string]: Call }, prefix: string, of: object, ...more: object[]) =>
      Object.entries(of).map(
        ([name, call]) => [prefix + name, [from[name]!, call, ...more]] as const,
      )
    calls = {
      createWallet: [createWallet as Call, options],
      createCrossChainWallet: [createCrossChainWallet as Call, crossOptions],
      ...Object.fromEntries([
        ...named(wallet, '', single, run),
        ...named(wallet, '', batches, batch),
        ...named(prepare, 'prepare.', single, send),
        ...named(prepare, 'prepare.', batches),
        ...named(wallet, '', lists, { ...send, again: false, confirmPlan: () => false }),
        ...named(prepare, 'prepare.', lists),
        ...named(cross, '', { quoteMove: move, move, importStray: stray }, moving),
      ]),
      'transfer of one output': [wallet.transfer!, { ...tx, ...output }, run],
      'export of one output': [wallet.export!, { ...tx, destinationChain: 'P', ...output }, run],
      balances: [wallet.balances!, { sourceChain: 'P', everywhere: false }],
      utxos: [wallet.utxos!, { sourceChain: 'P' }],
      history: [wallet.history!, { ...wait, after: '1/x', limit: 1, fromHeight: 1n }],
      'options of sign': [(of) => wallet.sign!(draft, of), send],
      'options of request': [
        (of) => wallet.request!(draft, of),
        { ...wait, signers: [address], paths, signatures: [{ address, signature: address }] },
      ],
      'options of submit': [(of) => wallet.submit!(address, of), run],
      resume: [wallet.resume!, { ...send, maxFee: fee, fromHeight: 1n }],
      unrecorded: [wallet.unrecorded!, { ...wait, fromHeight: 1n }],
      recover: [wallet.recover!, { ...send, fromHeight: 1n, fence: false, onProgress: () => {} }],
      'options of cancel': [(of) => wallet.cancel!('a', of), send],
      'store.bind': [store.bind!, { networkID: 1, chainID: AVAX }],
      'store.claim': [store.claim!, claim],
      'store.recordAcceptance': [store.recordAcceptance!, { txID: AVAX, inputs: [utxo] }],
      'options of fileStore': [(of) => fileStore('x', of as object), { waitMs: 1 }],
      'options of indexedDBStore': [(of) => indexedDBStore('x', of as object), { waitMs: 1 }],
      'options of discoverAccount': [
        (of) => discoverAccount(Object.create(WatchAccount.prototype), of as never),
        { client, context, gapLimit: 1, sourceChains: ['P'], signal: wait.signal },
      ],
      addressHistory: [addressHistory as Call, { ...walk, fromHeight: 1n, toHeight: 2n }],
      usedByDataAPI: [usedByDataAPI as Call, index],
      indexedHistory: [indexedHistory as Call, { ...walk, ...index }],
    }
  })

  /** Calls `visit` for every object of every argument. */
  async function eachObject(
    visit: (call: (change: (object: object) => unknown) => Promise<unknown>, path: Path) => unknown,
  ): Promise<void> {
    for (const [name, [call, ...args]] of Object.entries(calls))
      for (const [at, arg] of args.entries())
        for (const path of objectsIn(arg))
          await visit(async (change) => {
            const error = await thrownBy(() => call(...args.with(at, replaced(arg, path, change))))
            return Object.assign(error ?? {}, { asked: `${name} ${textOf(path)}` })
          }, path)
  }

  it('is in the table', () => {
    const known = new Set(Object.keys(calls).map((name) => name.replace('options of ', '')))
    const missing = (names: readonly string[]) => names.filter((name) => !known.has(name))
    // `payments` takes a list of texts, the others nothing.
    expect(missing(members.wallet)).toEqual([
      'addresses',
      'receiveAddress',
      'servers',
      'checkUTXOs',
      'prepare',
      'payments',
    ])
    expect(missing(members.moves)).toEqual(['account', 'moves'])
    expect(missing(members.prepare)).toEqual([])
  })

  it('refuses an unknown member of every object', async () => {
    let count = 0
    await eachObject(async (call, path) => {
      count++
      expect(await call((object) => ({ ...object, zzz: 1 }))).toMatchObject({
        name: 'ArgumentError',
        code: 'UNKNOWN_OPTION',
        path: textOf([...path, 'zzz']),
      })
    })
    expect(count).toBeGreaterThan(150)
  })

  it('refuses an unknown member of a signed transaction', async () => {
    const signed = { complete: true, signedTx: {}, bytes: new Uint8Array(1), txID: AVAX, zzz: 1 }
    expect(await thrownBy(() => submit(signed))).toMatchObject({
      code: 'UNKNOWN_OPTION',
      path: 'tx.zzz',
    })
  })

  it('refuses instances of classes', async () => {
    class Given {}
    await eachObject(async (call, path) => {
      expect(await call((object) => Object.assign(new Given(), object))).toMatchObject({
        name: 'ArgumentError',
        path: textOf(path),
      })
    })
  })

  it('accepts the members that the other tests add to', async () => {
    for (const [name, [call, ...args]] of Object.entries(calls)) {
      const error = (await thrownBy(() => call(...args))) as { code?: string } | undefined
      expect(['UNKNOWN_OPTION', 'MISSING_OPTION'], name).not.toContain(error?.code)
    }
  })
})

describe('members that someone has added to Object.prototype', () => {
  const polluted = Object.prototype as { [name: string]: unknown }

  async function withMember<T>(name: string, value: unknown, run: () => Promise<T>): Promise<T> {
    polluted[name] = value
    try {
      return await run()
    } finally {
      delete polluted[name]
    }
  }

  it('neither confirm, accept nor redirect a payment whose options are omitted', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(people[0]!), 10n ** 10n)
    const call = { to: addressOf(people[1]!), amount: 10n ** 9n }
    const mine = wallet({ confirm: () => false })
    const refused = { code: 'NOT_CONFIRMED' }
    await withMember(
      'confirm',
      () => true,
      async () => {
        await expect(mine.transfer(call)).rejects.toMatchObject(refused)
        await expect(mine.sweep({ to: call.to })).rejects.toMatchObject(refused)
      },
    )
    const { draft } = await wallet().prepare.transfer(call)
    const burning = { ...draft, unsignedTx: { ...draft.unsignedTx, outputs: [] } }
    await withMember('accept', ['BURN', 'HIGH_FEE'], async () => {
      await expect(wallet().sign(burning)).rejects.toMatchObject({ code: 'BURN' })
    })
    await withMember('outputs', [{ to: addressOf(people[2]!), amount: 10n ** 9n }], async () => {
      await wallet().transfer(call)
    })
    expect(await balanceOf(node, people[1]!)).toBe(10n ** 9n)
    expect(await balanceOf(node, people[2]!)).toBe(0n)
  })

  it('and later changes of a draft do not reach what is signed', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(people[0]!), 10n ** 10n)
    const call = { to: addressOf(people[1]!), amount: 10n ** 9n }
    const { draft } = await wallet().prepare.transfer(call)
    const before = structuredClone(draft.unsignedTx)
    const signing = wallet().sign(draft)
    for (const { output } of draft.unsignedTx.outputs) output.addresses[0]!.fill(9)
    const { signedTx } = requireSigned(await signing)
    expect(signedTx.unsignedTx).toEqual(before)
  })
})

describe('arguments', () => {
  it('are read once, and not after the call', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    let reads = 0
    const given = {
      to,
      get amount() {
        return BigInt(++reads)
      },
    }
    const outputs = [given]
    const options = { key: 'a' }
    const paid = wallet().transfer({ outputs }, options)
    options.key = 'b'
    outputs.pop()
    await paid
    expect(reads).toBe(1)
    expect(await balanceOf(node, you)).toBe(1n)
  })

  it.each([
    [(mine: Scene) => mine.wallet({ stroe: memoryStore() } as object), 'stroe', 'store'],
    [(mine: Scene) => mine.wallet({ quorm: 2 } as object), 'quorm', 'quorum'],
    [
      (mine: Scene) => mine.wallet().transfer({ to, amount: 1n, memmo: 'a' } as never),
      'memmo',
      'memo',
    ],
    [
      (mine: Scene) => mine.wallet().transfer({ to, amount: 1n, changTo: to } as never),
      'changTo',
      'changeTo',
    ],
    [
      (mine: Scene) =>
        mine.wallet().transfer({ outputs: [{ to, amount: 1n, asset: AVAX }] } as never),
      'outputs[0].asset',
      'assetID',
    ],
    [
      (mine: Scene) => mine.wallet().balances({ souceChain: 'P' } as never),
      'souceChain',
      'sourceChain',
    ],
    [(mine: Scene) => mine.wallet().transfer({ oututs: [] } as never), 'oututs', 'outputs'],
  ])('that are misspelled are named with the nearest name: %#', async (call, path, intended) => {
    const place = await scene()
    expect(await thrownBy(() => call(place))).toMatchObject({
      code: 'UNKNOWN_OPTION',
      path,
      message: expect.stringContaining(`did you mean ${intended}?`),
    })
  })

  it('of other calls are refused: transfer has no plan to confirm', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 10n * fee)
    const options = { confirmPlan: () => false } as object
    await expect(wallet().transfer({ to, amount: 1n }, options)).rejects.toMatchObject({
      code: 'UNKNOWN_OPTION',
    })
    expect(await balanceOf(node, you)).toBe(0n)
  })

  it('that are keys or addresses are checked when the wallet is created', async () => {
    const { wallet } = await scene()
    const { addresses } = me
    const keys = { addresses, has: () => true, sign: () => new Uint8Array(65) }
    for (const [options, path] of [
      [{ keys: { ...keys, addresses: [new Uint8Array(3)] } }, 'keys.addresses[0]'],
      [{ keys: { ...keys, publicKeys: [addresses[0]] } }, 'keys.publicKeys[0]'],
      // Without a chain, which is needed to compare the network.
      [{ addresses: [to, cb58.encode(addresses[0]!)] }, 'addresses[1]'],
      [{ client: { servers() {}, context() {}, blockReader() {} } }, 'client.servers()'],
    ] as const)
      expect(await thrownBy(() => wallet(options as never))).toMatchObject({
        name: 'ArgumentError',
        path,
      })
    const own = await wallet({ keys }).addresses()
    expect(own.map(({ address }) => address)).toEqual(addresses)
  })

  it('that cannot be parsed are named with their path', async () => {
    const { wallet } = await scene()
    const outputs = [
      { to, amount: 1n },
      { to: 'X-local1x', amount: 1n },
    ]
    await expect(wallet().transfer({ outputs })).rejects.toMatchObject({ path: 'outputs[1].to' })
    const call = { to, amount: 1n, assetID: '1' }
    await expect(wallet().transfer(call)).rejects.toMatchObject({ path: 'assetID' })
  })
})
