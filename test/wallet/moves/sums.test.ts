import { describe, expect, it, vi } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { evmAddressBytes } from '../../../src/core/c-chain.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { formatPolicy, parsePolicy } from '../../../src/signers/policy/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { AVAX, moveScene, PAIRS, stranger } from './setup.ts'

const [foreign] = stranger.addresses
const foreignAccount = evmAddressBytes(stranger.publicKeys[0]!)

/** A policy that allows 10 AVAX within a day. */
const sums = [{ assetID: formatID(networks.local.assetID), amount: 10n * AVAX, seconds: 86_400 }]
const policy = parsePolicy(formatPolicy({ name: 'Hot', networkID: 12345, sums }))

describe('moves under a policy with sums', () => {
  for (const [from, to] of PAIRS)
    it(`from ${from} to ${to} count if they pay others, before anything is exported`, async () => {
      const store = memoryStore()
      const { wallet, ledger } = await moveScene({ store })
      const mine = wallet({ signing: { policy } })
      const recipient = to === 'C' ? foreignAccount : foreign!
      await mine.move({ from, to, amount: 20n * AVAX })
      await mine.move({ from, to, amount: 6n * AVAX, recipient })
      const [payment] = (await mine.payments()).filter(
        ({ details }) => details?.leaves?.length === 1,
      )
      // Everything that was exported: the import pays its fee from it.
      const counted = payment!.details!.leaves![0]!.amount
      expect(counted).toBeGreaterThanOrEqual(6n * AVAX)
      expect(counted).toBeLessThan(6n * AVAX + AVAX / 10n)
      const before = await ledger.balance(from)
      const refused = await mine
        .move({ from, to, amount: 4n * AVAX, recipient })
        .catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: 'POLICY_SUM', sum: { used: counted } })
      expect(await ledger.balance(from)).toBe(before)
      await mine.move({ from, to, amount: 3n * AVAX, recipient })
      await mine.move({ from, to, amount: 20n * AVAX })
    })

  it('are not confirmed if they are refused', async () => {
    const confirmMove = vi.fn(() => true)
    const { wallet } = await moveScene({ store: memoryStore() })
    const mine = wallet({ signing: { policy }, confirmMove })
    const move = { from: 'X', to: 'P', amount: 11n * AVAX, recipient: foreign! } as const
    await expect(mine.move(move)).rejects.toMatchObject({ code: 'POLICY_SUM' })
    expect(confirmMove).not.toHaveBeenCalled()
    await mine.move({ ...move, amount: 9n * AVAX })
    expect(confirmMove).toHaveBeenCalledTimes(1)
  })
})

describe('importStray under a policy with sums', () => {
  for (const to of ['P', 'C', 'X'] as const)
    it(`counts what it imports to others on ${to}`, async () => {
      const confirmMove = vi.fn(() => true)
      const { wallet, ledger } = await moveScene({ store: memoryStore() })
      const mine = wallet({ signing: { policy }, confirmMove })
      const from = to === 'P' ? 'C' : 'P'
      const call = { sourceChain: from, destinationChain: to } as const
      const others = { ...call, recipient: to === 'C' ? foreignAccount : foreign! }
      await ledger.export(from, to, 20n * AVAX)
      await mine.importStray(call)
      await ledger.export(from, to, 6n * AVAX)
      await mine.importStray(others)
      expect(confirmMove).toHaveBeenCalledTimes(2)
      await ledger.export(from, to, 5n * AVAX)
      const refused = { code: 'POLICY_SUM', sum: { used: 6n * AVAX, requested: 5n * AVAX } }
      await expect(mine.importStray(others)).rejects.toMatchObject(refused)
      expect(confirmMove).toHaveBeenCalledTimes(2)
      await mine.importStray(call)
    })
})
