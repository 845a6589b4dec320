import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { evmAddressBytes } from '../../../src/core/chain/c/evm-address.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { accountFromMnemonic } from '../../../src/core/crypto/hd/account.ts'
import type { CallOptions } from '../../../src/node/index.ts'
import { ChainView } from '../../../src/node/view/view.ts'
import { AccountAddresses } from '../../../src/wallet/accounts/account-addresses.ts'
import { searchAccount } from '../../../src/wallet/accounts/search.ts'
import type { Wallet } from '../../../src/wallet/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { moveScene, AVAX as ONE_AVAX } from '../moves/setup.ts'
import { addressOf, balanceOf, people } from '../setup.ts'

const WORDS =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
const account = accountFromMnemonic(WORDS)
const you = people[1]!

const bytesAt = (change: number, index: number) => account.watch.address({ change, index })
const textOf = (address: Uint8Array) => addressOf({ addresses: [address] } as unknown as typeof you)

const spendable = async (wallet: Wallet) =>
  (await wallet.balances()).reduce((sum, one) => sum + one.spendable, 0n)

const usedPaths = async (wallet: Wallet) =>
  (await wallet.addresses()).filter(({ isUsed }) => isUsed).map(({ path }) => path!.slice(15))

describe('a cross-chain wallet of an account', () => {
  const onC = accountFromMnemonic(WORDS, { coinType: 60 })

  it('moves between all chains, with the C-Chain account of EVM wallets', async () => {
    const here = await moveScene()
    here.node.fund(bytesAt(0, 0), 10n * ONE_AVAX)
    const wallet = here.wallet({ keys: undefined, account, cAccount: onC })
    // The address that every EVM wallet shows first for these words.
    expect(hex.encode(wallet.account())).toBe('9858effd232b4033e47d90003d41ec34ecaeda94')
    const amount = ONE_AVAX
    await wallet.move({ from: 'X', to: 'P', amount: 3n * amount })
    await wallet.move({ from: 'P', to: 'X', amount })
    await wallet.move({ from: 'X', to: 'C', amount: 3n * amount })
    await wallet.move({ from: 'C', to: 'X', amount })
    expect(await spendable(wallet)).toBeGreaterThan(5n * amount)
    const plain = here.wallet({ keys: undefined, account: account.watch })
    expect(plain.account()).toEqual(
      evmAddressBytes(account.watch.publicKey({ change: 0, index: 0 })),
    )
  })

  it.each([
    // Paths of MetaMask and Core, and of Ledger Live for Avalanche (C-Chain): 44'/60'/<account>'/0/0 in derivation.ts of
    // LedgerHQ/ledger-live.
    ["m/44'/60'/0'/0/1", { account: 0, cIndex: 1 }, '6fac4d18c912343bf86fa7049364dd4e424ab9c0'],
    ["m/44'/60'/1'/0/0", { account: 1, cIndex: undefined }, undefined],
  ])('owns the C-Chain account at %s', async (path, { account: number, cIndex }, known) => {
    const { publicKey } = HDKey.fromMasterSeed(mnemonicToSeedSync(WORDS)).derive(path)
    const evm = evmAddressBytes(publicKey!)
    if (known !== undefined) expect(hex.encode(evm)).toBe(known)
    const here = await moveScene()
    here.node.cChain.fund(evm, 5n * ONE_AVAX)
    const cAccount = accountFromMnemonic(WORDS, { coinType: 60, account: number })
    const wallet = here.wallet({ keys: undefined, account, cAccount, cIndex })
    const watching = { account: account.watch, cAccount: cAccount.watch, cIndex }
    for (const one of [wallet, here.wallet({ keys: undefined, ...watching })])
      expect(one.account()).toEqual(evm)
    await wallet.move({ from: 'C', to: 'X', amount: ONE_AVAX })
    expect(await spendable(wallet)).toBe(ONE_AVAX)
    expect(() => here.wallet({ cIndex: 1 })).toThrow(
      expect.objectContaining({ code: 'ENC_INVALID', path: 'cIndex' }),
    )
  })

  it('finds addresses that were used on other chains only', async () => {
    const here = await moveScene()
    here.node.pChain.fund({ address: bytesAt(0, 15), amount: 2n * ONE_AVAX })
    here.node.exportFrom('C', { address: textOf(bytesAt(0, 30)), amount: ONE_AVAX })
    const wallet = here.wallet({ keys: undefined, account })
    expect(await usedPaths(wallet)).toEqual(['0/15', '0/30'])
    await wallet.move({ from: 'P', to: 'X', amount: ONE_AVAX })
    expect(await spendable(wallet)).toBeGreaterThanOrEqual(ONE_AVAX)
  })

  it('searches after the addresses that its store knows', async () => {
    const here = await moveScene()
    const store = memoryStore()
    // All of them are spent.
    const indexes = { receive: 30, change: 0, nextChange: 0 }
    const { id } = new AccountAddresses(account.watch, { gapLimit: 20, freshChange: false })
    const { networkID, chainID } = networks.local
    await store.bind({ networkID, chainID, indexes: { account: id, ...indexes } })
    here.node.pChain.fund({ address: bytesAt(0, 45), amount: 2n * ONE_AVAX })
    const wallet = here.wallet({ keys: undefined, account, store })
    expect(await wallet.receiveAddress()).toBe(textOf(bytesAt(0, 46)))
  })

  it('finds on X what an address that is used on P brings within the gap later', async () => {
    const here = await moveScene()
    here.node.fund(bytesAt(0, 30), 5n * ONE_AVAX)
    const wallet = here.wallet({ keys: undefined, account })
    expect(await spendable(wallet)).toBe(0n)
    here.node.pChain.fund({ address: bytesAt(0, 15), amount: 2n * ONE_AVAX })
    await wallet.move({ from: 'P', to: 'X', amount: ONE_AVAX })
    expect(await spendable(wallet)).toBe(6n * ONE_AVAX)
  })
})

it('a search on other chains takes no longer than it may', async () => {
  const { client, clock, node } = await moveScene()
  for (const [totalMs, most] of [
    [60_000, 10_000],
    [4_000, 4_000],
  ] as const) {
    const asked: (number | undefined)[] = []
    const place = {
      chain: new ChainView({ client, clock, quorum: 1 }),
      clock,
      context: node.context,
      wasUsed: undefined,
      others: async (_: readonly Uint8Array[], call: CallOptions) => {
        asked.push(call.totalMs)
        return []
      },
    }
    const own = new AccountAddresses(account.watch, { gapLimit: 20, freshChange: false })
    expect(await searchAccount(own, place, { totalMs })).toBeUndefined()
    expect(new Set(asked)).toEqual(new Set([most]))
  }
})

describe('a cross-chain wallet of an account whose node serves the X-Chain alone', () => {
  it('pays on X, and refuses what needs the other chains until they answer', async () => {
    let isServing = false
    const here = await moveScene({
      intercept: ({ method }, next) =>
        isServing || /^(avm|info)\./.test(method) ? next() : new Response('', { status: 404 }),
    })
    here.node.fund(bytesAt(0, 0), 10n * ONE_AVAX)
    // Only the P-Chain shows that addresses were used up to here.
    for (const index of [15, 55])
      here.node.pChain.fund({ address: bytesAt(0, index), amount: 2n * ONE_AVAX })
    here.node.fund(bytesAt(0, 70), ONE_AVAX)
    const wallet = here.wallet({ keys: undefined, account })
    const to = addressOf(you)
    await wallet.transfer({ to, amount: ONE_AVAX })
    expect(await balanceOf(here.node, you)).toBe(ONE_AVAX)
    expect(await usedPaths(wallet)).toEqual(['0/0', '1/0'])
    const refusal = { name: 'HttpError', status: 404 }
    await expect(wallet.balances({ everywhere: true })).rejects.toMatchObject(refusal)
    const call = { from: 'X', to: 'P', amount: ONE_AVAX } as const
    await expect(wallet.move(call)).rejects.toMatchObject(refusal)
    expect(await wallet.payments()).toEqual([])
    isServing = true
    await wallet.move(call)
    expect(await usedPaths(wallet)).toEqual(['0/0', '0/15', '0/55', '0/70', '1/0'])
  })
})
