import { describe, expect, it } from 'vitest'
import {
  createCChainClient,
  createNodeClient,
  createPChainClient,
} from '../../../src/node/index.ts'
import { createCrossChainWallet, type MoveCall } from '../../../src/wallet/moves/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { AVAX, keys, moveScene, PAIRS } from './setup.ts'

const INVALID = { name: 'ArgumentError', code: 'ENC_INVALID' }

describe('createCrossChainWallet', () => {
  const [one, two] = [['http://a.test'], ['http://a.test', 'http://b.test']]
  const create = (pURL: readonly string[], cURL: readonly string[]) =>
    createCrossChainWallet({
      client: createNodeClient({ url: two }),
      pChain: createPChainClient({ url: pURL }),
      cChain: createCChainClient({ url: cURL }),
      keys,
      quorum: 2,
    })

  it('refuses a quorum above the number of servers of a chain', () => {
    expect(() => create(one, two)).toThrow(expect.objectContaining(INVALID))
    expect(() => create(two, one)).toThrow(expect.objectContaining(INVALID))
    expect(() => create(two, two)).not.toThrow()
  })

  it('refuses invalid keys, and clients without a list of servers', async () => {
    const { wallet } = await moveScene()
    const { addresses, publicKeys } = keys
    const given = { addresses, publicKeys, has: () => true, sign: () => new Uint8Array(65) }
    const no = { servers: () => 5, context() {}, blockReader() {} }
    for (const [options, path] of [
      [{ keys: { ...given, addresses: 5 } }, 'keys'],
      [{ keys: { ...given, addresses: [new Uint8Array(3)] } }, 'keys.addresses[0]'],
      [{ keys: { ...given, publicKeys: [new Uint8Array(3)] } }, 'keys.publicKeys[0]'],
      [{ client: no }, 'client.servers()'],
      [{ pChain: no }, 'pChain.servers()'],
      [{ cChain: no }, 'cChain.servers()'],
    ] as const)
      expect(() => wallet(options as never)).toThrow(
        expect.objectContaining({ name: 'ArgumentError', path }),
      )
    expect(() => wallet({ keys: given })).not.toThrow()
  })

  it('refuses a confirmMove that is not a function', async () => {
    const { wallet } = await moveScene()
    expect(() => wallet({ confirmMove: 5 as never })).toThrow(expect.objectContaining(INVALID))
  })
})

describe('move, quoteMove and importStray', () => {
  const move: MoveCall = { from: 'X', to: 'P', amount: AVAX }
  const stray = { sourceChain: 'X', destinationChain: 'P' } as const

  for (const wrong of [
    { assetId: new Uint8Array(32) },
    { recipients: 'x' },
    { Recipient: 'x' },
    { maxfee: 1n },
    { maxFee: -1n },
  ])
    it(`refuse ${Object.keys(wrong)}${'maxFee' in wrong ? ' below 0' : ''}`, async () => {
      const { wallet } = await moveScene({ store: memoryStore() })
      const mine = wallet()
      const refused = 'maxFee' in wrong ? INVALID : { ...INVALID, code: 'UNKNOWN_OPTION' }
      await expect(mine.move({ ...move, ...wrong })).rejects.toMatchObject(refused)
      await expect(mine.quoteMove({ ...move, ...wrong })).rejects.toMatchObject(refused)
      await expect(mine.importStray({ ...stray, ...wrong })).rejects.toMatchObject(refused)
      expect(await mine.payments()).toEqual([])
    })

  it('refuse a confirm that is not a function', async () => {
    const { wallet, ledger } = await moveScene({ store: memoryStore() })
    await ledger.export('X', 'P', AVAX)
    const options = { confirm: 5 as never }
    await expect(wallet().move(move, options)).rejects.toMatchObject(INVALID)
    await expect(wallet().importStray(stray, options)).rejects.toMatchObject(INVALID)
    expect(await wallet().payments()).toEqual([])
  })

  for (const [from, to] of PAIRS) {
    it(`from ${from} to ${to} refuse the highest amounts as more than there is`, async () => {
      const { wallet } = await moveScene()
      const amounts = [
        [2n ** 64n - 1n, 'AMOUNT_OVERFLOW'],
        [2n ** 64n - AVAX, 'BUILDER_INSUFFICIENT_FUNDS'],
      ] as const
      for (const [amount, code] of amounts)
        await expect(wallet().quoteMove({ from, to, amount })).rejects.toMatchObject({ code })
    })

    it(`from ${from} to ${to} take any maxFee as no limit`, async () => {
      const { wallet } = await moveScene()
      const call = { from, to, amount: AVAX } as const
      const quote = await wallet().quoteMove({ ...call, maxFee: 2n ** 64n })
      expect(quote.importFee).toBe((await wallet().quoteMove(call)).importFee)
    })
  }
})
