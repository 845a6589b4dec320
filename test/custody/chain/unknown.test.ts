import { expect, it } from 'vitest'
import { encodeUTXO } from '../../../src/core/chain/x/utxo.ts'
import type { Secp256k1Backend } from '../../../src/core/crypto/backend.ts'
import { loadWasmBackend } from '../../../src/core/crypto/backends/wasm.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { AVAX, FEE, keysOf, receiver, scene, textOf, until } from '../setup.ts'

it('signers of a transaction that spends nothing of this system are not recovered', async () => {
  const wasm = await loadWasmBackend()
  let recovered = 0
  const counting: Secp256k1Backend = {
    ...wasm,
    recover: (hash, signature) => {
      recovered++
      return wasm.recover(hash, signature)
    },
  }
  const { node, client, keys, hot, open, work } = await scene()
  const others = keysOf(9)
  node.fund(hot, 10n * AVAX)
  node.fund(textOf(others.addresses[0]!), 10n * AVAX)
  const custody = await open({ backend: counting })
  work(custody)
  await until('healthy', async () => (await custody.status()).healthy)
  const applied = (height: bigint) =>
    until('applied', async () => ((await custody.status()).height ?? 0n) >= height)
  const pay = (from: typeof keys, to: string) =>
    createWallet({ client, keys: from }).transfer({ to, amount: AVAX })

  const before = recovered
  await pay(others, receiver(1))
  // Nor if it pays this system.
  await pay(others, hot)
  await applied(await client.avm.getHeight())
  expect(recovered).toBe(before)
  expect(await custody.unknownPayments()).toEqual([])

  const { txID } = await pay(keys, receiver(1))
  const [found] = await until('found', async () => {
    const list = await custody.unknownPayments()
    return list.length > 0 && list
  })
  expect(found).toMatchObject({ txID, to: receiver(1), amount: AVAX })
  expect(recovered).toBeGreaterThan(before)
})

it('payments from before the system was created are unknown only if blocks are read again', async () => {
  const { node, client, keys, hot, open, work } = await scene()
  for (let i = 0; i < 2; i++) node.fund(hot, 10n * AVAX)
  const wallet = createWallet({ client, keys })
  const { txID } = await wallet.transfer({ to: receiver(1), amount: AVAX })
  const custody = await open()
  work(custody)
  await until('healthy', async () => (await custody.status()).healthy)
  await custody.requestPayouts([{ key: 'a', to: receiver(1), amount: AVAX }])
  await until('paid', async () => (await custody.payouts())[0]!.status === 'paid')
  expect(await custody.unknownPayments()).toEqual([])

  await custody.rescan(1n)
  await until('found', async () => (await custody.unknownPayments()).length > 0)
  expect(await custody.unknownPayments()).toMatchObject([{ txID, to: receiver(1), amount: AVAX }])
})

it('an import that own keys pay others with is unknown, though no output is spent', async () => {
  const { node, client, keys, hot, open, work } = await scene()
  node.fund(hot, 10n * AVAX)
  const custody = await open()
  work(custody)
  await until('healthy', async () => (await custody.status()).healthy)
  const { context } = node
  const exported = encodeUTXO({
    txID: new Uint8Array(32).fill(4),
    outputIndex: 0,
    assetID: context.assetID,
    output: {
      type: 'secp256k1fx.TransferOutput',
      amount: AVAX + FEE,
      locktime: 0n,
      threshold: 1,
      addresses: [keys.addresses[0]!],
    },
  })
  node.addAtomicUTXOs(context.chains.C!, [exported])
  const wallet = createWallet({ client, keys })
  const { txIDs } = await wallet.import({ sourceChain: 'C', to: receiver(1) })
  const [found] = await until('found', async () => {
    const list = await custody.unknownPayments()
    return list.length > 0 && list
  })
  expect(found).toMatchObject({ txID: txIDs[0], to: receiver(1), amount: AVAX })
})
