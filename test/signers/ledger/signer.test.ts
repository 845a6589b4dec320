import { describe, expect, it } from 'vitest'
import { parseAmount } from '../../../src/core/base/encoding/amount.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { sha256 } from '../../../src/core/base/hash/sha256.ts'
import { evmAddressOf } from '../../../src/core/c-chain.ts'
import { addressOf } from '../../../src/core/crypto/secp256k1.ts'
import type { Draft } from '../../../src/core/draft/draft.ts'
import {
  createCChainClient,
  createNodeClient,
  createPChainClient,
} from '../../../src/node/index.ts'
import { LEDGER_MAX_SIZE, ledgerScreens, ledgerSigner } from '../../../src/signers/ledger/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { createCrossChainWallet } from '../../../src/wallet/moves/index.ts'
import { vectors } from '../../helpers/vectors.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import { AVAX, fujiNode, openedDevice } from './setup.ts'

const positions = [0, 1, 2].map((index) => ({ change: 0, index }))
const { bytesHex } = vectors<{ name: string; bytesHex: string }[]>('ledger-screens.json').find(
  ({ name }) => name === 'sample_fuji',
)!
const stranger = new Uint8Array(20).fill(7)
const textOf = (items: readonly (readonly [string, string])[]) =>
  items.map((item) => item.join('|'))

describe('ledgerSigner', () => {
  it('pays from several keys with one approval, of the predicted screens', async () => {
    const node = await fujiNode()
    const { device, account } = await openedDevice()
    const signer = ledgerSigner({ transport: device, account, positions })
    for (const address of signer.addresses!) node.fund(address, 2n * AVAX)
    const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
    let draft: Draft | undefined
    const confirm = (_: unknown, given: Draft) => {
      draft = given
      return true
    }
    const wallet = createWallet({ client, signers: [signer], confirm })
    await wallet.transfer({ to: stranger, amount: 5n * AVAX })
    expect(device.reviews.length).toBe(1)
    const screens = ledgerScreens(draft!, { change: signer.addresses })
    expect(device.reviews[0]).toEqual(screens.map(({ title, text }) => [title, text]))
    // The change is hidden, because the device was told its path.
    expect(textOf(device.reviews[0]!).filter((text) => text.startsWith('Transfer|')).length).toBe(2)
    expect(ledgerScreens(draft!).length).toBe(screens.length + 2)
    expect((await wallet.balances())[0]!.spendable).toBe(parseAmount('0.999'))
  })

  it('sweeps 1,000 UTXOs within the buffer of the app', async () => {
    const node = await fujiNode()
    const { device, account } = await openedDevice()
    const signer = ledgerSigner({ transport: device, account, positions })
    for (let i = 0; i < 1000; i++) node.fund(signer.addresses![i % 3]!, AVAX)
    const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
    const wallet = createWallet({ client, signers: [signer] })
    // A transaction as large as the chain allows is refused before it is sent.
    await expect(wallet.sweep({ to: stranger })).rejects.toMatchObject({ code: 'LEDGER_TOO_LARGE' })
    expect(device.exchanges).toEqual([])
    await wallet.sweep({ to: stranger, maxSize: LEDGER_MAX_SIZE })
    expect(device.reviews.length).toBe(6)
    expect(await wallet.balances()).toEqual([])
    const largest = Math.max(...uploadSizes(device.exchanges))
    expect(largest).toBeGreaterThan(15_000)
    expect(largest).toBeLessThanOrEqual(0x4000)
  })

  it('pays a list from many UTXOs within the limits of the app', async () => {
    const node = await fujiNode()
    const { device, account } = await openedDevice()
    const signer = ledgerSigner({ transport: device, account, positions })
    for (let i = 0; i < 600; i++) node.fund(signer.addresses![i % 3]!, AVAX / 4n)
    const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
    const wallet = createWallet({ client, signers: [signer] })
    const payments = Array.from({ length: 70 }, (_, i) => ({
      key: `salary ${i}`,
      to: new Uint8Array(20).fill(i + 1),
      amount: 2n * AVAX,
    }))
    // By default a transaction has up to 100 payments, of which the app can show 64.
    await expect(
      wallet.payouts({ payments: payments.map((p) => ({ ...p, amount: 1n })) }),
    ).rejects.toMatchObject({ code: 'LEDGER_UNSUPPORTED' })
    expect(device.exchanges).toEqual([])
    const other = payments.map((payment) => ({ ...payment, key: `${payment.key}, again` }))
    const { paid } = await wallet.payouts({ payments: other, size: 19, maxSize: LEDGER_MAX_SIZE })
    expect([paid, device.reviews.length]).toEqual([70, 4])
    const largest = Math.max(...uploadSizes(device.exchanges))
    expect(largest).toBeGreaterThan(14_000)
    expect(largest).toBeLessThanOrEqual(0x4000)
  })

  it('moves from the X-Chain to the C-Chain and back', async () => {
    const node = await fujiNode()
    const { device, account } = await openedDevice()
    const path = "m/44'/60'/0'/0/0"
    const { publicKey } = device.keyAt(path)
    const own = ledgerSigner({ transport: device, account, positions: positions.slice(0, 1) })
    node.fund(own.addresses![0]!, 10n * AVAX)
    const clock = virtualClock()
    const connection = { url: 'http://node.test', fetch: node.fetch, clock }
    const wallet = createCrossChainWallet({
      client: createNodeClient(connection),
      pChain: createPChainClient(connection),
      cChain: createCChainClient(connection),
      // The second one is asked for every address, and signs for the account by its path.
      signers: [own, ledgerSigner({ transport: device, account })],
      addresses: own.addresses!,
      publicKeys: [publicKey!],
      signing: { paths: [{ address: addressOf(publicKey!), path }] },
      clock,
    })
    await wallet.move({ from: 'X', to: 'C', amount: 4n * AVAX })
    const evm = evmAddressOf(publicKey!)
    expect(textOf(device.reviews[0]!)).toContain('Export Tx|X to C Chain')
    expect(textOf(device.reviews[1]!)).toContain(`To|${evm.toLowerCase()}`)
    await wallet.move({ from: 'C', to: 'X', amount: 2n * AVAX })
    expect(textOf(device.reviews[2]!)).toContain('Export Tx|C to X Chain')
    expect(textOf(device.reviews[3]!)).toContain('From |C Chain')
    expect(device.reviews.length).toBe(4)
  })

  it('does not sign for another device whose keys have the same paths', async () => {
    const { device, account } = await openedDevice()
    const words =
      'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
    const other = await openedDevice({ mnemonic: words })
    const unsignedBytes = hex.decode(bytesHex)
    const signers = [account, other.account].map((one) => ({
      address: one.address(positions[0]!),
      path: one.path(positions[0]!),
    }))
    const query = {
      unsignedBytes,
      hash: sha256(unsignedBytes),
      chain: 'X' as const,
      utxos: [],
      signers,
      changePaths: ['garbage'],
    }
    for (const which of [0, account]) {
      const answers = await ledgerSigner({ transport: device, account: which }).signAll!(query)
      expect(answers.map((answer) => answer?.length)).toEqual([65, undefined])
    }
    // Without an own address the device is not bothered with a review.
    const before = device.reviews.length
    const none = await ledgerSigner({ transport: device, account: 5 }).signAll!(query)
    expect(none).toEqual([undefined, undefined])
    expect(device.reviews.length).toBe(before)
  })

  it('refuses what the app cannot show before it sends anything', async () => {
    const { device, account } = await openedDevice()
    const signer = ledgerSigner({ transport: device, account, positions })
    // Another network, then another chain.
    const network = `${bytesHex.slice(0, 12)}00000009${bytesHex.slice(20)}`
    const chain = `${bytesHex.slice(0, 20)}${'ab'.repeat(32)}${bytesHex.slice(84)}`
    for (const changed of [network, chain]) {
      const unsignedBytes = hex.decode(changed)
      const signing = signer.sign({
        address: signer.addresses![0]!,
        hash: sha256(unsignedBytes),
        unsignedBytes,
      })
      await expect(signing).rejects.toMatchObject({ code: 'LEDGER_UNSUPPORTED' })
    }
    expect(device.exchanges).toEqual([])
  })
})

/** Sizes of the uploads in the buffer of the app, with the byte that it adds. */
function uploadSizes(exchanges: readonly (readonly [command: string, reply: string])[]): number[] {
  const sizes: number[] = []
  for (const [command] of exchanges.filter(([sent]) => sent.startsWith('8005'))) {
    const size = (command.length - 10) / 2
    if (command.startsWith('800500')) sizes.push(1 + size)
    else sizes[sizes.length - 1]! += size
  }
  return sizes
}
