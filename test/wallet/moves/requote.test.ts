import { describe, expect, it } from 'vitest'
import type { Signer } from '../../../src/core/sign/signer.ts'
import { keyChainSigner } from '../../../src/core/sign/signers.ts'
import type { MoveQuote } from '../../../src/wallet/moves/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { AVAX, keys, moveScene } from './setup.ts'

const GWEI = 1_000_000_000n

describe('a move from C whose base fee rises before it is issued', () => {
  /** Raises the base fee while the first questions are answered. */
  async function scene(raises: readonly bigint[]) {
    const issued: string[] = []
    const quotes: MoveQuote[] = []
    const made = await moveScene({
      store: memoryStore(),
      intercept: ({ method }, answer) => {
        if (method === 'avax.issueTx') issued.push(method)
        return answer()
      },
    })
    made.node.cChain.setBaseFee(25n * GWEI)
    const confirm = (quote: MoveQuote) => {
      const wei = raises[quotes.push(quote) - 1]
      if (wei !== undefined) made.node.cChain.setBaseFee(wei)
      return true
    }
    return { ...made, issued, quotes, confirm }
  }
  const call = { from: 'C', to: 'X', amount: AVAX } as const

  it('is quoted and confirmed again, and issued once', async () => {
    const { wallet, issued, quotes, confirm } = await scene([900n * GWEI])
    const receipt = await wallet().move(call, { key: 'a', confirm })
    expect(quotes).toHaveLength(2)
    expect(quotes[1]!.exportFee).toBeGreaterThan(quotes[0]!.exportFee)
    expect(issued).toHaveLength(1)
    expect(receipt.quote).toEqual(quotes[1])
    expect(await wallet().payments(['a'])).toMatchObject([{ status: 'accepted' }])
  })

  it('is not made above maxFee, and nothing is claimed or issued', async () => {
    const { wallet, ledger, issued, quotes, confirm } = await scene([900_000n * GWEI])
    const before = await ledger.balance('C')
    const mine = wallet()
    await expect(
      mine.move({ ...call, maxFee: 20_000_000n }, { key: 'a', confirm }),
    ).rejects.toMatchObject({ code: 'FEE_ABOVE_MAX' })
    expect([quotes.length, issued.length]).toEqual([1, 0])
    expect(await mine.payments()).toEqual([])
    expect(await ledger.balance('C')).toBe(before)
  })

  it('is not made if the second quote is refused', async () => {
    const { wallet, issued, quotes, confirm } = await scene([900n * GWEI])
    const once = (quote: MoveQuote) => confirm(quote) && quotes.length < 2
    const mine = wallet()
    await expect(mine.move(call, { key: 'a', confirm: once })).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
    })
    expect([quotes.length, issued.length]).toEqual([2, 0])
    expect(await mine.payments()).toEqual([])
  })

  it('ends quoting after some rounds, and asks the chain', async () => {
    const raises = [1, 2, 3, 4, 5, 6].map((round) => 1000n * GWEI * 2n ** BigInt(round))
    const { wallet, quotes, issued, confirm } = await scene(raises)
    await wallet().move({ ...call, maxFee: 50n * AVAX }, { key: 'a', confirm })
    expect(quotes).toHaveLength(4)
    expect(issued.length).toBeGreaterThan(0)
  })
})

describe('a transaction of the C-Chain whose base fee rises after it was signed', () => {
  /** The base fee is raised by the first signatures, as while a device signs slowly. */
  async function scene(raises: readonly bigint[]) {
    const issued: string[] = []
    const signed: string[] = []
    const { node, ledger, wallet } = await moveScene({
      store: memoryStore(),
      intercept: (call, answer) => {
        if (call.method === 'avax.issueTx') issued.push(call.method)
        return answer()
      },
    })
    node.cChain.setBaseFee(25n * GWEI)
    const { addresses, sign } = keyChainSigner(keys)
    const slow: Signer = {
      addresses,
      sign,
      signAll: async ({ signers, chain, ...query }) => {
        const signatures = await Promise.all(signers.map((signer) => sign({ ...signer, ...query })))
        const wei = chain === 'C' ? raises[signed.push(chain) - 1] : undefined
        if (wei !== undefined) node.cChain.setBaseFee(wei)
        return signatures
      },
    }
    const mine = wallet({ keys: undefined, signers: [slow], publicKeys: keys.publicKeys })
    return { node, ledger, mine, issued, signed }
  }

  it.each([
    ['export', { from: 'C', to: 'X' }],
    ['import', { from: 'X', to: 'C' }],
  ] as const)('is quoted and signed again before it is issued: %s', async (_kind, path) => {
    const { mine, issued, signed } = await scene([900n * GWEI])
    await mine.move({ ...path, amount: AVAX, maxFee: AVAX }, { key: 'a' })
    expect([signed.length, issued.length]).toEqual([2, 1])
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'accepted' }])
  })

  it('is not issued at all if the new fee is above maxFee', async () => {
    const { ledger, mine, issued, signed } = await scene([900_000n * GWEI])
    const before = await ledger.balance('C')
    await expect(
      mine.move({ from: 'C', to: 'X', amount: AVAX, maxFee: 20_000_000n }, { key: 'a' }),
    ).rejects.toMatchObject({ code: 'FEE_ABOVE_MAX' })
    expect([signed.length, issued.length]).toEqual([1, 0])
    expect(await mine.payments()).toEqual([])
    expect(await ledger.balance('C')).toBe(before)
  })
  it('is not issued if it is an import whose new fee is above maxFee, and can be made later', async () => {
    const { node, ledger, mine, issued, signed } = await scene([9_000n * GWEI])
    const before = await ledger.balance('C')
    const call = { from: 'X', to: 'C', amount: AVAX, maxFee: 20_000_000n } as const
    await expect(mine.move(call, { key: 'a', wait: { timeoutMs: 2_000 } })).rejects.toMatchObject({
      code: 'MOVE_UNFINISHED',
    })
    expect([signed.length, issued.length]).toEqual([1, 0])
    expect(await ledger.balance('C')).toBe(before)
    node.cChain.setBaseFee(25n * GWEI)
    await mine.move(call, { key: 'a' })
    expect(issued).toHaveLength(1)
  })
})
