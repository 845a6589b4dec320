import { describe, expect, it } from 'vitest'
import { formatAmount } from '../../../src/core/base/encoding/amount.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import type { MoveQuote } from '../../../src/wallet/moves/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { AVAX, keys, moveScene, PAIRS, stranger } from './setup.ts'

describe('wallet.move', () => {
  for (const helicon of [false, true])
    for (const [from, to] of PAIRS)
      it(`moves AVAX from ${from} to ${to}${helicon ? ' after Helicon' : ''}`, async () => {
        const { wallet, ledger, node } = await moveScene({ helicon })
        node.cChain.setBaseFee(25_000_000_000n)
        const mine = wallet()
        const before = { from: await ledger.balance(from), to: await ledger.balance(to) }
        let quote: MoveQuote | undefined
        const amount = 7n * AVAX
        const receipt = await mine.move(
          { from, to, amount },
          {
            key: 'refill',
            confirm: (shown) => {
              quote = shown
              return true
            },
          },
        )
        const { exported, arrives, exportFee, importFee } = quote!
        expect(exported).toHaveLength(1)
        expect(await ledger.balance(from)).toBe(before.from - exported[0]!.amount - exportFee)
        expect(await ledger.balance(to)).toBe(before.to + exported[0]!.amount - importFee)
        expect(arrives).toMatchObject([{ amount: exported[0]!.amount - importFee }])
        expect(arrives[0]!.amount).toBeGreaterThanOrEqual(amount)
        // What arrives beyond the amount is what the import was given for a higher fee.
        expect(arrives[0]!.amount - amount).toBeLessThanOrEqual(importFee)
        expect(quote!.explanations.export).toMatchObject({ type: 'ExportTx' })
        expect(quote!.explanations.import).toMatchObject({ type: 'ImportTx' })
        expect(await mine.moves()).toEqual([])
        expect(await mine.payments(['refill'])).toMatchObject([
          { status: 'accepted', txID: receipt.txID },
        ])
        expect(await mine.move({ from, to, amount }, { key: 'refill' })).toEqual({
          txID: receipt.txID,
        })
        expect(await ledger.balance(from)).toBe(before.from - exported[0]!.amount - exportFee)
      })

  for (const helicon of [false, true])
    for (const [from, to] of PAIRS)
      it(`moves from ${from} to ${to} without avax.getAtomicTxStatus${helicon ? ' after Helicon' : ''}`, async () => {
        const refusedMethods = ['avax.getAtomicTxStatus']
        const { wallet, ledger } = await moveScene({ helicon, refusedMethods })
        const before = await ledger.balance(to)
        await wallet().move({ from, to, amount: 7n * AVAX }, { key: 'refill' })
        expect((await ledger.balance(to)) - before).toBeGreaterThanOrEqual(7n * AVAX)
        expect(await wallet().moves()).toEqual([])
      })

  for (const [from, to] of PAIRS)
    it(`moves all AVAX from ${from} to ${to}`, async () => {
      const { wallet, ledger } = await moveScene()
      const before = await ledger.balance(to)
      const { quote } = await wallet().move({ from, to, amount: 'all' })
      expect(formatAmount(await ledger.balance(from))).toBe('0')
      const { exportFee, importFee, leftBehind } = quote!
      expect(leftBehind).toBe(0n)
      expect(await ledger.balance(to)).toBe(before + 100n * AVAX - exportFee - importFee)
    })

  for (const from of ['X', 'P'] as const)
    it(`moves all AVAX from ${from} that fits in one transaction, and names what is left behind`, async () => {
      const { wallet, ledger, node } = await moveScene()
      const [address] = keys.addresses
      const dust = from === 'X' ? 1n : 3_100n
      for (let i = 0; i < 500; i++)
        if (from === 'X') node.fund(address!, dust)
        else node.pChain.fund({ address: address!, amount: dust })
      const { quote } = await wallet().move({ from, to: 'C', amount: 'all' })
      expect(quote!.exported[0]!.amount).toBeGreaterThan(99n * AVAX)
      const { leftBehind } = quote!
      expect(leftBehind > 0n && leftBehind < 500n * dust).toBe(true)
      expect(await ledger.balance(from)).toBe(leftBehind)
    })

  it('pays a recipient on the destination chain', async () => {
    const { wallet, ledger, node } = await moveScene()
    const mine = wallet()
    const { evmAddressOf } = await import('../../../src/core/c-chain.ts')
    const account = evmAddressOf(stranger.publicKeys[0]!)
    const { quote } = await mine.move({ from: 'X', to: 'C', amount: AVAX, recipient: account })
    expect(node.cChain.account(account).balance).toBe(quote!.arrives[0]!.amount * AVAX)
    expect(quote!.recipient).toBe(account)
    await mine.move({ from: 'C', to: 'P', amount: AVAX, recipient: stranger.addresses[0]! })
    expect(await ledger.balance('P')).toBe(100n * AVAX)
    await expect(
      mine.move({ from: 'X', to: 'P', amount: AVAX, recipient: account }),
    ).rejects.toMatchObject({ name: 'ArgumentError' })
  })

  it('moves a token between X and P with the fee of the import beside it', async () => {
    const { wallet, node } = await moveScene()
    const mine = wallet()
    const { txID: assetID } = await mine.createAsset({
      name: 'Token',
      symbol: 'TKN',
      denomination: 0,
      holders: [{ to: keys.addresses[0]!, amount: 500n }],
    })
    const { quote } = await mine.move({ from: 'X', to: 'P', amount: 200n, assetID })
    expect(quote!.arrives.find((each) => formatID(each.assetID) === formatID(assetID))).toEqual({
      assetID,
      amount: 200n,
    })
    await mine.move({ from: 'P', to: 'X', amount: 150n, assetID })
    const balance = (await mine.balances()).find(
      (each) => formatID(each.assetID) === formatID(assetID),
    )
    expect(balance).toMatchObject({ spendable: 450n })
    expect(node).toBeDefined()
    await expect(mine.move({ from: 'X', to: 'C', amount: 1n, assetID })).rejects.toMatchObject({
      code: 'STUCK_EXPORT',
    })
  })

  it('refuses wrong arguments before anything is claimed', async () => {
    const store = memoryStore()
    const { wallet } = await moveScene({ store })
    const mine = wallet()
    const call = { from: 'X', to: 'P', amount: AVAX } as const
    await expect(mine.move({ ...call, to: 'X' })).rejects.toMatchObject({ code: 'SAME_CHAIN' })
    await expect(mine.move({ ...call, to: 'Q' as never })).rejects.toMatchObject({
      code: 'ENC_INVALID',
      path: 'to',
    })
    await expect(mine.move({ ...call, amount: 0n })).rejects.toMatchObject({
      code: 'NOTHING_TO_PAY',
    })
    await expect(mine.move({ ...call, amount: 1000n * AVAX })).rejects.toMatchObject({
      code: 'BUILDER_INSUFFICIENT_FUNDS',
    })
    await expect(mine.move({ ...call, maxFee: 1n })).rejects.toMatchObject({
      code: 'FEE_ABOVE_MAX',
    })
    await expect(mine.move(call, { confirm: () => false })).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
    })
    await expect(wallet({ confirm: () => true }).move(call)).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
    })
    expect(await mine.payments()).toEqual([])
    expect((await mine.balances()).some(({ reserved }) => reserved > 0n)).toBe(false)
  })

  it('refuses the key of another move or payment', async () => {
    const { wallet } = await moveScene()
    const mine = wallet()
    await mine.move({ from: 'X', to: 'P', amount: AVAX }, { key: 'a' })
    await expect(
      mine.move({ from: 'X', to: 'P', amount: 2n * AVAX }, { key: 'a' }),
    ).rejects.toMatchObject({ code: 'KEY_CONFLICT' })
    await expect(
      mine.transfer({ to: keys.addresses[0]!, amount: 1n }, { key: 'a' }),
    ).rejects.toMatchObject({ code: 'KEY_CONFLICT' })
  })
})
