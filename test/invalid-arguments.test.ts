import { describe, expect, it } from 'vitest'
import * as codec from '../src/codec.ts'
import * as cChain from '../src/core/c-chain.ts'
import { accountFromMnemonic, type HDPosition, parseMnemonic } from '../src/core/crypto/hd/index.ts'
import * as pChain from '../src/core/p-chain.ts'
import { createDevNode } from '../src/devnode/index.ts'
import * as avmkit from '../src/index.ts'
import { createDataClient, createMetricsClient, createNodeClient } from '../src/node/index.ts'
import { codeOf } from './helpers/vectors.ts'

/** Functions as plain JavaScript calls them. */
const untyped = { ...avmkit, ...codec } as unknown as {
  readonly [name: string]: (...args: unknown[]) => unknown
}

describe('calls from plain JavaScript with invalid arguments', () => {
  const cases: readonly (readonly [string, readonly unknown[], string])[] = [
    ['parseAmount', [1.5], 'ENC_INVALID'],
    ['parseAmount', [undefined], 'ENC_INVALID'],
    ['formatAmount', [1.5], 'ENC_BAD_AMOUNT'],
    ['formatAmount', [undefined], 'ENC_BAD_AMOUNT'],
    ['parseAddress', [null], 'ENC_INVALID'],
    ['parseID', [7], 'ENC_INVALID'],
    ['parseNodeID', [{}], 'ENC_INVALID'],
    ['parsePrivateKey', [new Uint8Array(32)], 'ENC_INVALID'],
    ['parseUTXOID', [], 'ENC_INVALID'],
    ['buildTransfer', [{}], 'MISSING_OPTION'],
    ['buildTransfer', [], 'MISSING_OPTION'],
    ['buildTransfer', [{ context: avmkit.networks.local, funds: {} }], 'MISSING_OPTION'],
    ['buildExport', [{}], 'MISSING_OPTION'],
    ['buildImport', [{}], 'MISSING_OPTION'],
    ['buildImport', [], 'MISSING_OPTION'],
    ['planImport', [{}], 'MISSING_OPTION'],
    ['planSweep', [{}], 'MISSING_OPTION'],
    ['buildSendAll', [{}], 'MISSING_OPTION'],
    ['buildCreateAsset', [{}], 'MISSING_OPTION'],
    ['buildOperations', [{}], 'MISSING_OPTION'],
    ['needFor', [{}], 'MISSING_OPTION'],
  ]
  for (const [name, args, code] of cases)
    it(`${name}(${args.map((arg) => JSON.stringify(arg, bigints)).join()}) throws ${code}`, () => {
      expect(codeOf(() => untyped[name]!(...args))).toBe(code)
    })

  const context = avmkit.networks.local
  const view = { owners: [new Uint8Array(20)], now: 1n }
  const others = {
    outputs: [],
    operations: [],
    to: new Uint8Array(20),
    assetID: new Uint8Array(32),
    amount: 1n,
    name: 'A',
    symbol: 'A',
    sourceChain: 'X',
    destinationChain: 'X',
    fees: { weights: pChain.DEFAULT_GAS_WEIGHTS, price: 1n },
    baseFee: 1n,
  }
  type Member = keyof typeof others
  /** The members that each builder requires beside context and funds. */
  const required: { readonly [name: string]: readonly Member[] } = {
    buildTransfer: ['outputs'],
    buildExport: ['outputs', 'destinationChain'],
    buildExportAll: ['to', 'destinationChain'],
    buildCreateAsset: ['name', 'symbol'],
    buildOperations: ['operations'],
    buildMint: ['assetID', 'amount', 'to'],
    buildSendAll: ['to'],
    buildImport: ['sourceChain', 'to'],
    planImport: ['sourceChain', 'to'],
    planSweep: ['to'],
  }
  /** The members that the builder of a test requires; its name starts with the chain unless that is X. */
  function optionsOf(test: string): object {
    const [, chain, name] = /^(?:(.Chain)\.)?(\w+)/.exec(test)!
    const price: Member[] = chain === undefined ? [] : [chain === 'pChain' ? 'fees' : 'baseFee']
    const names = [...required[name!]!, ...price]
    return { context, ...Object.fromEntries(names.map((each) => [each, others[each]])) }
  }
  /** Funds without one member each. */
  function incomplete(funds: object): readonly (readonly [string, unknown])[] {
    const without = Object.keys(funds).map((name) => {
      const rest = Object.entries(funds).filter(([other]) => other !== name)
      // Without selected coins, funds are a set to select from.
      return [`funds.${name === 'coins' ? 'utxos' : name}`, Object.fromEntries(rest)] as const
    })
    return [...without, ['funds', undefined]]
  }
  const builders: readonly (readonly [string, (options: object) => unknown, object])[] = [
    ...['buildTransfer', 'buildExport', 'buildCreateAsset', 'buildOperations', 'buildMint']
      .concat(['buildSendAll', 'buildImport', 'planImport', 'planSweep'])
      .map((name) => [name, untyped[name]!, { utxos: new avmkit.UTXOSet(), ...view }] as const),
    ...['buildTransfer', 'buildExport', 'buildCreateAsset'].map(
      (name) =>
        [`${name} of selected UTXOs`, untyped[name]!, { coins: [], owners: view.owners }] as const,
    ),
    ...Object.entries({ pChain, cChain }).flatMap(([chain, functions]) =>
      Object.entries(functions).flatMap(([name, build]) =>
        /^(build|plan)[A-Z]/.test(name) && !(chain === 'cChain' && name.startsWith('buildExport'))
          ? [
              [
                `${chain}.${name}`,
                build as (options: object) => unknown,
                { utxos: [], ...view },
              ] as const,
            ]
          : [],
      ),
    ),
  ]
  for (const [name, build, funds] of builders)
    it(`${name} with incomplete funds throws MISSING_OPTION and names the member`, () => {
      for (const [member, given] of incomplete(funds)) {
        const call = () => build({ ...optionsOf(name), funds: given })
        expect(codeOf(call), member).toBe('MISSING_OPTION')
        expect(call, member).toThrow(`${member} is missing`)
      }
      expect(codeOf(() => build({ ...optionsOf(name), funds }))).not.toBe('MISSING_OPTION')
    })

  it('builders throw ENC_INVALID for UTXOs that are neither a UTXOSet nor a list', () => {
    for (const [name, build] of builders)
      for (const utxos of [{}, 1, 'x', null])
        expect(
          codeOf(() => build({ ...optionsOf(name), funds: { utxos, ...view } })),
          name,
        ).toBe('ENC_INVALID')
  })

  for (const [chain, builders] of Object.entries({ pChain, cChain }))
    for (const [name, build] of Object.entries(builders))
      if (/^(build|plan)[A-Z]/.test(name))
        it(`${chain}.${name} without options throws MISSING_OPTION`, () => {
          for (const args of [[], [{}], [{ context: avmkit.networks.local }]])
            expect(codeOf(() => (build as (...args: unknown[]) => unknown)(...args))).toBe(
              'MISSING_OPTION',
            )
        })

  it('a mnemonic that is not a string throws MNEMONIC_INVALID', () => {
    for (const value of [undefined, null, 5, {}])
      for (const call of [parseMnemonic, accountFromMnemonic])
        expect(codeOf(() => call(value as unknown as string))).toBe('MNEMONIC_INVALID')
  })

  it('keys at invalid positions throw, and so do invalid passphrases', () => {
    const words = `${'abandon '.repeat(11)}about`
    const account = accountFromMnemonic(words)
    const { watch } = account
    for (const bad of [undefined, null, {}, 'x', 5] as unknown as HDPosition[]) {
      for (const call of [
        () => account.privateKey(bad),
        () => account.keyChain([bad]),
        () => watch.address(bad),
        () => watch.publicKey(bad),
        () => watch.paths([bad]),
      ])
        expect(codeOf(call)).toMatch(/^(ENC_INVALID|MISSING_OPTION)$/)
    }
    for (const bad of [undefined, null, 5] as unknown as []) {
      expect(codeOf(() => account.keyChain(bad))).toMatch(/^(ENC_INVALID|MISSING_OPTION)$/)
      expect(codeOf(() => watch.paths(bad))).toMatch(/^(ENC_INVALID|MISSING_OPTION)$/)
    }
    for (const passphrase of [null, 5, '\ud800'] as string[])
      expect(codeOf(() => accountFromMnemonic(words, { passphrase }))).toBe('ENC_INVALID')
  })

  it('bytes that cannot be read throw ENC_INVALID', () => {
    const detached = new Uint8Array(32)
    structuredClone(detached, { transfer: [detached.buffer] })
    const unreadable = {
      detached,
      proxy: new Proxy(new Uint8Array(32), {}),
      imitation: Object.setPrototypeOf({ length: 32 }, Uint8Array.prototype),
    }
    const { hex, cb58, checkedHex, formatID, decodeTx, decodeUTXO } = avmkit
    for (const [name, bytes] of Object.entries<Uint8Array>(unreadable))
      for (const read of [
        ...[hex.encode, cb58.encode, checkedHex.encode, formatID],
        ...[decodeTx, decodeUTXO, codec.decodeBlock, pChain.decodeTx, cChain.decodeTx],
      ])
        expect(
          codeOf(() => (read as (bytes: Uint8Array) => unknown)(bytes)),
          `${read.name} ${name}`,
        ).toBe('ENC_INVALID')
    expect(hex.encode(new Uint8Array())).toBe('')
  })

  it('clients without a url throw', () => {
    for (const create of [createNodeClient, createMetricsClient, createDataClient]) {
      const call = create as (options?: unknown) => unknown
      for (const options of [{ url: [] }, { url: 5 }])
        expect(codeOf(() => call(options))).toBe('ENC_INVALID')
      for (const options of [undefined, {}, { url: undefined }])
        expect(codeOf(() => call(options))).toBe('MISSING_OPTION')
    }
  })

  it('clients with invalid options throw ENC_INVALID', () => {
    const invalid: readonly object[] = [
      ...[Number.NaN, '32MB', 0, 1.5, Symbol('x')].map((maxBodyBytes) => ({ maxBodyBytes })),
      ...[Number.NaN, '3', -1].map((retries) => ({ retry: { retries } })),
      { clock: {} },
      { headers: { 'x-key': null } },
      { retry: null },
    ]
    for (const create of [createNodeClient, createMetricsClient, createDataClient])
      for (const options of invalid)
        expect(
          codeOf(() => create({ url: 'http://node.test', ...options })),
          Object.keys(options)[0],
        ).toBe('ENC_INVALID')
    expect(
      codeOf(() => createNodeClient({ url: 'http://node.test', headers: { 'x-key': undefined! } })),
    ).toBe('MISSING_OPTION')
  })

  it('methods of a client take null for no options, and refuse other signals', async () => {
    const node = await createDevNode()
    const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
    const tx = new Uint8Array(32)
    expect(await client.blockReader({ from: 1n }).read(null!)).toEqual([])
    expect(await client.healthGet.root(null!, null!)).toMatchObject({ healthy: true })
    expect(await codeOfCall(client.issueTx(tx, null!))).toBe('CODEC_SHORT_BUFFER')
    await client.waitUntilReady(null!)
    const signal = {} as AbortSignal
    for (const call of [
      client.waitForTx(tx, { signal }),
      client.waitUntilReady({ signal }),
      client.context({ signal }),
      client.blockReader({ from: 1n }).read({ signal }),
    ])
      expect(await codeOfCall(call)).toBe('ENC_INVALID')
    expect(codeOf(() => client.blocks({ from: 1n, signal }))).toBe('ENC_INVALID')
    await node.close()
  })
})

describe('the development node', () => {
  it.each([
    { allocations: 5 },
    { fees: { txFee: 5 } },
    { fees: { txFee: -1n } },
    { fees: { createAssetTxFee: 2n ** 64n } },
    { blockTimeMs: Number.NaN },
    { blockTimeMs: 'x' },
    { backend: 5 },
    { httpAPIs: 5 },
  ] as object[])('refuses the options %o', async (options) => {
    const code = await codeOfCall(createDevNode(options))
    expect(code).toBeOneOf(['ENC_INVALID', 'BAD_OPTION'])
  })

  it('does not add a listener per request to one signal', async () => {
    const warnings: string[] = []
    const warn = ({ name }: Error) => warnings.push(name)
    process.on('warning', warn)
    const node = await createDevNode()
    node.injectFault({ kind: 'silent', times: 20 })
    const body = '{"jsonrpc":"2.0","id":1,"method":"info.getNetworkID","params":{}}'
    const headers = { 'content-type': 'application/json' }
    const requests = Array.from({ length: 20 }, () =>
      node.fetch('http://localhost/ext/info', { method: 'POST', body, headers }),
    )
    const results = Promise.allSettled(requests)
    await new Promise((resolve) => setTimeout(resolve))
    await node.close()
    expect((await results).every(({ status }) => status === 'rejected')).toBe(true)
    // Node emits warnings in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', warn)
    expect(warnings).toEqual([])
  })
})

async function codeOfCall(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'none',
    (error) => error.code,
  )
}

function bigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}
