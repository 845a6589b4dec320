import { describe, expect, it } from 'vitest'
import { evmAddressBytes, evmAddressOf } from '../../../src/core/c-chain.ts'
import { confirmation } from '../../../src/wallet/moves/confirmation.ts'
import type { MoveOptions, MoveQuote } from '../../../src/wallet/moves/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { resultFor } from '../requests.ts'
import { AVAX, keys, moveScene, stranger } from './setup.ts'

const [address] = keys.addresses
const account = evmAddressOf(keys.publicKeys[0]!)

describe('confirmation', () => {
  const yes = () => true
  const no = () => false
  const slowly = (answer: boolean) => async () => answer
  const cases: readonly (readonly [
    string,
    { ofWallet?: MoveOptions['confirm']; ofCall?: MoveOptions['confirm']; isRequired?: boolean },
    boolean,
  ])[] = [
    ['there is none, and none is required', {}, true],
    ['there is none, and one is required', { isRequired: true }, false],
    ['that of the wallet confirms', { ofWallet: yes, isRequired: true }, true],
    ['that of the wallet refuses', { ofWallet: no }, false],
    [
      'that of the call confirms, which replaces that of the wallet',
      { ofWallet: no, ofCall: yes },
      true,
    ],
    ['that of the call refuses', { ofWallet: yes, ofCall: no }, false],
    ['it confirms after a while', { ofCall: slowly(true) }, true],
    ['it refuses after a while', { ofCall: slowly(false) }, false],
  ]
  for (const [name, { ofWallet, ofCall, isRequired = false }, isConfirmed] of cases)
    it(`${isConfirmed ? 'allows' : 'refuses'} a move if ${name}`, async () => {
      const asked = confirmation(ofWallet, isRequired)({} as MoveQuote, { confirm: ofCall })
      if (isConfirmed) await asked
      else await expect(asked).rejects.toMatchObject({ code: 'NOT_CONFIRMED' })
    })
})

describe('a move of everything whose fee rises while more arrives', () => {
  const recipient = stranger.addresses[0]!

  for (const from of ['C', 'P'] as const)
    it(`from ${from} exports no more than was confirmed`, async () => {
      const methods = { C: 'avax.issueTx', P: 'platform.issueTx' }
      let isRaised = true
      const scene = await moveScene({
        intercept: async ({ method }, answer) => {
          if (method === methods[from] && !isRaised) {
            isRaised = true
            scene.node.cChain.setBaseFee(50_000_000_000n)
            scene.node.cChain.fund(account, 900n * AVAX)
            scene.node.pChain.setFeeState({ capacity: 1_000_000n, excess: 9_500_000n })
            scene.node.pChain.fund({ address: address!, amount: 900n * AVAX })
          }
          return answer()
        },
      })
      scene.node.cChain.setBaseFee(25_000_000_000n)
      // A block of now, from which on the excess counts.
      await scene.ledger.export('P', 'C', AVAX)
      isRaised = false
      let confirmed: MoveQuote | undefined
      await scene.wallet().move(
        { from, to: 'X', amount: 'all', recipient },
        {
          confirm: (quote) => {
            confirmed = quote
            return true
          },
        },
      )
      expect(confirmed!.exported[0]!.amount).toBeGreaterThan(98n * AVAX)
      expect(await scene.ledger.balance(from)).toBe(900n * AVAX)
    })

  it('from X exports no more than was confirmed', async () => {
    let isWrong = true
    const store = memoryStore()
    const { wallet, ledger, node } = await moveScene({
      store,
      intercept: (call, next) =>
        isWrong && call.method === 'avm.getTxFee'
          ? resultFor(call, { txFee: '500000', createAssetTxFee: '500000' })
          : next(),
    })
    const call = { from: 'X', to: 'P', amount: 'all', recipient } as const
    const early = wallet({ wait: { timeoutMs: 2000 } })
    await expect(early.move(call, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
    isWrong = false
    node.fund(address!, 900n * AVAX)
    await wallet().move(call, { key: 'a' })
    expect(await ledger.balance('X')).toBe(900n * AVAX)
  })
})

describe('importStray', () => {
  for (const to of ['P', 'C', 'X'] as const) {
    const from = to === 'P' ? 'C' : 'P'
    const recipient = to === 'C' ? evmAddressBytes(stranger.publicKeys[0]!) : stranger.addresses[0]!
    const call = { sourceChain: from, destinationChain: to, recipient } as const

    it(`to ${to} signs nothing unless every import is confirmed`, async () => {
      const store = memoryStore()
      const { wallet, ledger } = await moveScene({ store })
      await ledger.export(from, to, 3n * AVAX)
      const refused = { code: 'NOT_CONFIRMED' }
      for (const answer of [false, undefined, 'no', 1, { approved: false }]) {
        const confirm = () => answer as boolean
        await expect(wallet().importStray(call, { confirm })).rejects.toMatchObject(refused)
        await expect(wallet({ confirmMove: confirm }).importStray(call)).rejects.toMatchObject(
          refused,
        )
      }
      await expect(wallet({ confirm: () => true }).importStray(call)).rejects.toMatchObject(refused)
      expect(await wallet().payments()).toEqual([])
    })

    it(`to ${to} shows what each import costs and pays`, async () => {
      const { wallet, ledger } = await moveScene()
      await ledger.export(from, to, 3n * AVAX)
      const quotes: MoveQuote[] = []
      const { txIDs } = await wallet().importStray(call, {
        confirm: (quote) => quotes.push(quote) > 0,
      })
      expect(txIDs).toHaveLength(1)
      expect(quotes).toHaveLength(1)
      const [{ importFee, arrives, explanations, ...rest }] = quotes as [MoveQuote]
      expect(rest).toMatchObject({ from, to, exportFee: 0n, exported: [{ amount: 3n * AVAX }] })
      expect(arrives).toMatchObject([{ amount: 3n * AVAX - importFee }])
      expect(explanations).toMatchObject({ import: { type: 'ImportTx' } })
      expect(explanations.export).toBeUndefined()
    })
  }
})

describe('move', () => {
  it('takes no other answer than true for a confirmation', async () => {
    const { wallet } = await moveScene({ store: memoryStore() })
    const call = { from: 'C', to: 'P', amount: AVAX } as const
    for (const answer of [undefined, 'no', 1, { approved: false }])
      await expect(wallet().move(call, { confirm: () => answer as never })).rejects.toMatchObject({
        code: 'NOT_CONFIRMED',
      })
    expect(await wallet().payments()).toEqual([])
  })
})

describe('a move whose import becomes dearer than its export allowed for', () => {
  const call = { from: 'X', to: 'C', amount: AVAX } as const
  const assetID = expect.any(Uint8Array)
  /** The base fee rises after the export was issued, or after the import was. */
  const sceneWith = async (method: 'avm.issueTx' | 'avax.issueTx') => {
    let isRaised = false
    const scene = await moveScene({
      store: memoryStore(),
      intercept: (request, answer) => {
        if (request.method === method && !isRaised) scene.node.cChain.setBaseFee(10n ** 12n)
        isRaised ||= request.method === method
        return answer()
      },
    })
    scene.node.cChain.setBaseFee(25_000_000_000n)
    return scene
  }

  for (const method of ['avm.issueTx', 'avax.issueTx'] as const) {
    it(`reports what arrived (${method})`, async () => {
      const { wallet, ledger } = await sceneWith(method)
      const { arrived, quote } = await wallet().move(call)
      const amount = (await ledger.balance('C')) - 100n * AVAX
      expect(arrived).toEqual([{ assetID, amount }])
      expect(amount).toBeLessThan(AVAX)
      expect(quote!.arrives[0]!.amount).toBeGreaterThanOrEqual(AVAX)
    })

    it(`asks again before less than the amount arrives (${method})`, async () => {
      const { wallet, ledger } = await sceneWith(method)
      const quotes: MoveQuote[] = []
      const confirm = (quote: MoveQuote) => quotes.push(quote) === 1
      const failure = await wallet()
        .move(call, { key: 'a', confirm })
        .catch((error) => error)
      expect(failure).toMatchObject({ code: 'MOVE_UNFINISHED', cause: { code: 'NOT_CONFIRMED' } })
      expect(quotes).toHaveLength(2)
      const [first, second] = quotes as [MoveQuote, MoveQuote]
      expect(second).toMatchObject({ from: 'X', to: 'C', exported: first.exported, exportFee: 0n })
      expect(second.arrives[0]!.amount).toBe(first.exported[0]!.amount - second.importFee)
      expect(second.arrives[0]!.amount).toBeLessThan(AVAX)
      expect(await ledger.balance('C')).toBe(100n * AVAX)
      // A wallet that has no confirmation for moves cannot be asked.
      expect(await wallet({ confirm: () => true }).resume()).toMatchObject([
        { keys: ['a'], status: 'pending', error: { cause: { code: 'NOT_CONFIRMED' } } },
      ])
      const { arrived } = await wallet().move(call, { key: 'a', confirm: () => true })
      expect(arrived).toEqual([{ assetID, amount: (await ledger.balance('C')) - 100n * AVAX }])
      expect(arrived).toEqual(second.arrives)
    })
  }

  it('asks nobody if the amount arrives', async () => {
    const { wallet, ledger } = await moveScene()
    let asked = 0
    const { arrived } = await wallet().move(call, { confirm: () => ++asked > 0 })
    expect(asked).toBe(1)
    expect(arrived).toEqual([{ assetID, amount: (await ledger.balance('C')) - 100n * AVAX }])
  })
})
