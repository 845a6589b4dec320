import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { accountFromMnemonic, WatchAccount } from '../../../src/core/crypto/hd/account.ts'
import { hdSigner } from '../../../src/core/sign/signers.ts'
import { finishRequest, signRequest } from '../../../src/index.ts'
import { parsePolicy } from '../../../src/signers/policy/index.ts'
import { AccountAddresses } from '../../../src/wallet/accounts/account-addresses.ts'
import type { Wallet, WalletOptions } from '../../../src/wallet/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { AVAX, addressOf, balanceOf, fee, people, type Scene, scene } from '../setup.ts'

const WORDS =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
const account = accountFromMnemonic(WORDS)
const [stranger, you] = people as [(typeof people)[0], (typeof people)[0]]
const to = addressOf(you)

const bytesAt = (change: number, index: number) => account.watch.address({ change, index })
/** The address at a position, as text. */
const at = (change: number, index: number) =>
  addressOf({ addresses: [bytesAt(change, index)] } as unknown as typeof you)

const hd = (here: Scene, options: Partial<WalletOptions> = {}) =>
  here.wallet({ keys: undefined, account, ...options })

const spendable = async (wallet: Wallet) =>
  (await wallet.balances()).reduce((sum, one) => sum + one.spendable, 0n)

const usedPaths = async (wallet: Wallet) =>
  (await wallet.addresses()).filter(({ isUsed }) => isUsed).map(({ path }) => path!.slice(15))

describe('a wallet of an account', () => {
  it('finds, receives, pays, and returns change to the first change address', async () => {
    const here = await scene()
    here.node.fund(at(0, 3), 10n * fee)
    const wallet = hd(here)
    expect(await spendable(wallet)).toBe(10n * fee)
    expect(await wallet.receiveAddress()).toBe(at(0, 4))
    here.node.fund(at(0, 23), fee)
    expect(await spendable(wallet)).toBe(11n * fee)
    expect(await wallet.receiveAddress()).toBe(at(0, 24))
    await wallet.transfer({ to, amount: 7n })
    await wallet.transfer({ to, amount: 8n })
    expect(await balanceOf(here.node, you)).toBe(15n)
    expect(await usedPaths(wallet)).toEqual(['0/3', '0/23', '1/0'])
    const [first] = await wallet.addresses()
    expect(first).toEqual({
      address: bytesAt(0, 0),
      text: at(0, 0),
      path: "m/44'/9000'/0'/0/0",
      branch: 'receive',
      index: 0,
      isUsed: false,
    })
  })

  it('watches further addresses while blocks arrive, also for what came earlier', async () => {
    const here = await scene()
    const wallet = hd(here, { gapLimit: 5 })
    expect(await spendable(wallet)).toBe(0n)
    // Beyond the gap, in an earlier block than the payment that closes it.
    here.node.fund(at(0, 8), 3n)
    expect(await spendable(wallet)).toBe(0n)
    here.node.fund(at(0, 4), 2n)
    expect(await spendable(wallet)).toBe(5n)
    here.node.fund(at(0, 13), 1n)
    expect(await spendable(wallet)).toBe(6n)
    expect(await wallet.receiveAddress()).toBe(at(0, 14))
  })

  it('uses another change address for every transaction if asked to', async () => {
    const here = await scene()
    for (let i = 0; i < 4; i++) here.node.fund(at(0, 0), 10n * fee)
    const store = memoryStore()
    const wallet = hd(here, { freshChange: true, store })
    // The second draft must not get the change address of the first, which is not claimed yet.
    const [one, two] = await Promise.all([
      wallet.prepare.transfer({ to, amount: 1n }),
      wallet.prepare.transfer({ to, amount: 2n }),
    ])
    const changeOf = ({ draft }: typeof one) =>
      draft.unsignedTx.outputs
        .flatMap(({ output }) => output.addresses.map(hex.encode))
        .filter((address) => address !== hex.encode(you.addresses[0]!))
    expect([...changeOf(one), ...changeOf(two)]).toEqual(
      [bytesAt(1, 0), bytesAt(1, 1)].map(hex.encode),
    )
    one.release()
    two.release()
    for (let i = 0; i < 3; i++) await wallet.transfer({ to, amount: 1n })
    expect(await usedPaths(wallet)).toEqual(['0/0', '1/0', '1/1', '1/2'])
    // All is spent from 1/0 to 1/2, so only the store knows that they were used.
    await wallet.sendAll({ to: at(0, 0) })
    const later = hd(here, { freshChange: true, store })
    await later.transfer({ to, amount: 1n })
    expect((await usedPaths(later)).at(-1)).toBe('1/3')
    expect(await later.receiveAddress()).toBe(at(0, 1))
  })

  it('never pays change beyond the gap, even if nothing is ever accepted', async () => {
    const here = await scene({ blocks: 'manual' })
    for (let i = 0; i < 5; i++) here.node.fund(at(0, 0), 10n * fee)
    const wallet = hd(here, { freshChange: true, gapLimit: 2, wait: { timeoutMs: 50 } })
    const used = new Set<string>()
    for (let i = 0; i < 4; i++) {
      const error = await wallet.transfer({ to, amount: 1n }).catch((reason) => reason)
      expect(error).toMatchObject({ code: 'TX_PENDING' })
    }
    for (const { isUsed, branch, index } of await wallet.addresses())
      if (isUsed && branch === 'change') used.add(String(index))
    expect([...used]).toEqual(['0', '1'])
  })

  it('offers change addresses within the gap only, whatever is claimed and held', () => {
    const own = new AccountAddresses(account.watch, { gapLimit: 2, freshChange: true })
    const chosen = Array.from({ length: 4 }, () => {
      const next = own.nextChange
      own.claim([next])
      own.hold([next])
      return hex.encode(next)
    })
    expect(chosen).toEqual([0, 1, 1, 1].map((index) => hex.encode(bytesAt(1, index))))
  })

  it('drafts, requests and follows without private keys', async () => {
    const here = await scene()
    here.node.fund(at(0, 1), 10n * fee)
    const watch = new WatchAccount(account.watch.extendedPublicKey)
    const wallet = hd(here, { account: watch })
    await expect(wallet.transfer({ to, amount: 5n })).rejects.toMatchObject({ name: 'SignError' })
    const prepared = await wallet.prepare.transfer({ to, amount: 5n })
    const request = await wallet.request(prepared)
    expect(request.paths.map(({ path }) => path)).toContain("m/44'/9000'/0'/0/1")
    const keys = account.keyChain([{ change: 0, index: 1 }])
    await wallet.submit(
      finishRequest(signRequest(request, keys, { ours: [bytesAt(0, 1), bytesAt(1, 0)] })),
    )
    expect(await balanceOf(here.node, you)).toBe(5n)
    expect(await usedPaths(wallet)).toEqual(['0/1', '1/0'])
  })

  it('signs with a device that knows the account', async () => {
    const here = await scene()
    here.node.fund(at(0, 1), 10n * fee)
    const device = hdSigner(
      account,
      [0, 1, 2].map((index) => ({ change: 0, index })),
    )
    const seen: (string | undefined)[] = []
    const signers = [
      {
        ...device,
        sign: (query: Parameters<typeof device.sign>[0]) => {
          seen.push(query.path)
          return device.sign(query)
        },
      },
    ]
    const watch = new WatchAccount(account.watch.extendedPublicKey)
    await hd(here, { account: watch, signers }).transfer({ to, amount: 5n })
    expect(seen).toEqual(["m/44'/9000'/0'/0/1"])
    expect(await balanceOf(here.node, you)).toBe(5n)
  })

  it('signs nothing that its policy refuses', async () => {
    const here = await scene()
    here.node.fund(at(0, 1), 10n * fee)
    const rules = { name: 'Small', networkID: 12345, maximum: { [formatID(AVAX)]: '5' } }
    const file = JSON.stringify({ format: 'avmkit-policy', version: 1, ...rules })
    const policy = parsePolicy(file)
    const wallet = hd(here, { signing: { policy } })
    await expect(wallet.transfer({ to, amount: 6n })).rejects.toMatchObject({
      code: 'POLICY_MAXIMUM',
    })
    await wallet.transfer({ to, amount: 5n })
    expect(await balanceOf(here.node, you)).toBe(5n)
  })

  it('refuses options that contradict an account', async () => {
    const here = await scene()
    const bad: [Partial<WalletOptions>, string][] = [
      [{ account, keys: you }, 'keys'],
      [{ account, keys: undefined, addresses: [at(0, 0)] }, 'addresses'],
      [{ freshChange: true }, 'freshChange'],
      [{ gapLimit: 3 }, 'gapLimit'],
    ]
    for (const [options, path] of bad)
      expect(() => here.wallet(options)).toThrow(
        expect.objectContaining({ code: 'ENC_INVALID', path }),
      )
    expect(() => hd(here, { gapLimit: 0 })).toThrow(
      expect.objectContaining({ code: 'ENC_INVALID' }),
    )
  })
})

/** An error, or the reason of one that a batch wraps. */
type Failure = { readonly code?: string; readonly cause?: { readonly code?: string } }

describe('change that leaves the wallet', () => {
  const call = { to, amount: 5n }

  it('is refused unless it is accepted, by the wallet or by the call', async () => {
    const here = await scene()
    for (let i = 0; i < 3; i++) here.node.fund(at(0, 0), 10n * fee)
    const foreign = hd(here, { changeTo: addressOf(stranger) })
    await expect(foreign.transfer(call)).rejects.toMatchObject({ code: 'FOREIGN_CHANGE' })
    await expect(hd(here).transfer({ ...call, changeTo: { to } })).rejects.toMatchObject({
      code: 'FOREIGN_CHANGE',
    })
    expect(await balanceOf(here.node, you)).toBe(0n)
    await foreign.transfer(call, { accept: ['FOREIGN_CHANGE'] })
    const always = hd(here, { changeTo: addressOf(stranger), accept: ['FOREIGN_CHANGE'] })
    await always.transfer(call)
    expect(await balanceOf(here.node, you)).toBe(10n)
    expect(await balanceOf(here.node, stranger)).toBe(18n * fee - 10n)
  })

  it('is refused in every call that has change, also to another account of the same words', async () => {
    const here = await scene()
    for (let i = 0; i < 6; i++) here.node.fund(at(0, 0), 10n * fee)
    const wallet = hd(here)
    const holders = [{ to: at(0, 0), amount: 9n }]
    const minters = [{ to: at(0, 0) }]
    const token = await wallet.createAsset({ name: 'Token', symbol: 'TOK', holders, minters })
    const assetID = token.txID
    const other = accountFromMnemonic(WORDS, { account: 1 }).watch.address({ change: 1, index: 0 })
    const before = await spendable(wallet)
    for (const changeTo of [
      { to },
      { to: other },
      { to: account.watch.address({ change: 2, index: 0 }) },
    ]) {
      const calls: { [name: string]: () => Promise<unknown> } = {
        transfer: () => wallet.transfer({ to, amount: 5n, changeTo }),
        sendAll: () => wallet.sendAll({ to, assetID, changeTo }),
        export: () =>
          wallet.export({
            destinationChain: 'P',
            outputs: [{ to: to.replace('X-', 'P-'), amount: 5n }],
            changeTo,
          }),
        createAsset: () => wallet.createAsset({ name: 'Other', symbol: 'OTH', holders, changeTo }),
        mint: () => wallet.mint({ assetID, to, amount: 5n, changeTo }),
        payouts: () => wallet.payouts({ payments: [{ to, amount: 5n, key: 'a' }], changeTo }),
        sweep: () => wallet.sweep({ to, assets: [assetID], changeTo }),
        consolidate: () => wallet.consolidate({ to: changeTo.to }),
        wallet: () => hd(here, { changeTo: changeTo.to }).transfer({ to, amount: 5n }),
      }
      for (const [name, call] of Object.entries(calls)) {
        const error: Failure = await call().then(
          () => ({}),
          (reason) => reason,
        )
        const code = error.cause?.code === 'FOREIGN_CHANGE' ? error.cause.code : error.code
        expect([name, code]).toEqual([name, 'FOREIGN_CHANGE'])
      }
    }
    expect(await spendable(wallet)).toBe(before)
    expect(await balanceOf(here.node, you)).toBe(0n)
  })

  it('is refused as the target of a consolidation, not as that of a payment or sweep', async () => {
    const here = await scene()
    for (let i = 0; i < 3; i++) here.node.fund(at(0, i), 10n * fee)
    const wallet = hd(here)
    await expect(wallet.consolidate({ to })).rejects.toMatchObject({ code: 'FOREIGN_CHANGE' })
    await wallet.consolidate({ to: at(0, 7) })
    here.node.fund(at(0, 0), 10n * fee)
    await wallet.consolidate({ to }, { accept: ['FOREIGN_CHANGE'] })
    expect(await balanceOf(here.node, you)).toBe(38n * fee)
    here.node.fund(at(0, 0), 10n * fee)
    await wallet.sweep({ to })
    expect(await balanceOf(here.node, you)).toBe(47n * fee)
  })
})
