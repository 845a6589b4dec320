import { createHash } from 'node:crypto'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { type NetworkContext, networks } from '../../../src/core/chain/networks.ts'
import type { CreateAssetCall, TransferCall } from '../../../src/wallet/payments/calls.ts'
import type { Content } from '../../../src/wallet/payments/content.ts'
import {
  createAssetIntent,
  exportIntent,
  type Intent,
  operateIntent,
  operationIntent,
  sendAllIntent,
  transferIntent,
} from '../../../src/wallet/payments/intents.ts'
import { claimedPayments } from '../../../src/wallet/payments/payment-keys.ts'
import { addressOf, people } from '../setup.ts'

const [me, you, third] = people.map((keys) => addressOf(keys)) as [string, string, string]
const { local, fuji } = networks

const digestOf = (contents: readonly Content[], context: NetworkContext = local) =>
  hex.encode(claimedPayments({ key: 'a' }, contents, context)[0]!.digest)
const digestFor = (call: TransferCall) => digestOf(transferIntent(call).contents(local))

describe('the digest of a payment', () => {
  it('is the SHA-256 of a text, which stores of other versions rely on', () => {
    const content: Content = { kind: 'transfer', parts: ['b', 'a'] }
    const lines = ['avmkit payment', 12345, hex.encode(local.chainID), 'transfer', 'a', 'b']
    const expected = createHash('sha256').update(JSON.stringify(lines)).digest('hex')
    expect(digestOf([content])).toBe(expected)
  })

  it('differs by network, chain, kind and part', () => {
    const content: Content = { kind: 'transfer', parts: ['a'] }
    const digests = [
      digestOf([content]),
      digestOf([content], fuji),
      digestOf([content], { ...local, networkID: 7 }),
      digestOf([content], { ...local, chainID: fuji.chainID }),
      digestOf([{ ...content, kind: 'export' }]),
      digestOf([{ ...content, parts: ['b'] }]),
      digestOf([{ ...content, parts: ['a', 'a'] }]),
      digestOf([{ ...content, parts: [] }]),
    ]
    expect(new Set(digests).size).toBe(digests.length)
  })

  it('does not depend on the order of outputs, nor on how arguments are written', () => {
    const one = { to: you, amount: 5n }
    const other = { to: [me, third], threshold: 2, amount: 7n }
    const digest = digestFor({ outputs: [one, other] })
    expect(digestFor({ outputs: [other, one] })).toBe(digest)
    const swapped = { ...other, to: [third, me] }
    expect(digestFor({ outputs: [one, swapped] })).toBe(digest)
    const spelled = {
      to: people[1]!.addresses[0]!,
      amount: 5n,
      assetID: local.assetID,
      locktime: 0n,
    }
    expect(digestFor({ outputs: [spelled, other] })).toBe(digest)
  })

  it('does not depend on how the payment is funded', () => {
    const call = { to: you, amount: 5n }
    const funded = { ...call, changeTo: me, maxFee: 9n, choose: { strategy: 'smallest' as const } }
    expect(digestFor(funded)).toBe(digestFor(call))
  })

  it('depends on the memo, which may tell whom to credit, and on burned amounts', () => {
    const call = { to: you, amount: 5n }
    const digests = [
      digestFor(call),
      digestFor({ ...call, memo: 'a' }),
      digestFor({ ...call, memo: 'b' }),
      digestFor({ ...call, burn: [{ amount: 1n }] }),
      digestFor({ ...call, burn: [{ amount: 2n }] }),
      digestFor({ ...call, burn: [{ amount: 1n, assetID: fuji.assetID }] }),
    ]
    expect(new Set(digests).size).toBe(digests.length)
    expect(digestFor({ ...call, memo: '' })).toBe(digests[0])
    expect(digestFor({ ...call, memo: Uint8Array.of(97) })).toBe(digests[1])
    const written = { amount: 1n, assetID: local.assetID }
    expect(digestFor({ ...call, burn: [written] })).toBe(digests[3])
  })

  it('of operations does not depend on how they are written', () => {
    const [assetID, bytes] = [fuji.chainID, people[1]!.addresses[0]!]
    const digestFor = (intent: Intent) => digestOf(intent.contents(local))
    const mints = [
      { assetID, to: you, amount: 5n },
      { assetID: formatID(assetID), to: bytes, amount: 5n },
      { assetID, to: [you], threshold: 1, locktime: 0n, amount: 5n, memo: '', burn: [] },
    ].map((call) => digestFor(operationIntent('mint', call)))
    const operations = [{ type: 'mint' as const, assetID, to: you, amount: 5n }]
    expect(new Set([...mints, digestFor(operateIntent({ operations }))]).size).toBe(1)
    const nft = { assetID, payload: 'a', groupID: 1 }
    const others = [
      operationIntent('mint', { assetID, to: me, amount: 5n }),
      operationIntent('mint', { assetID, to: you, amount: 6n }),
      operationIntent('mint', { assetID: fuji.assetID, to: you, amount: 5n }),
      operationIntent('mint', { assetID, to: you, amount: 5n, memo: 'a' }),
      operationIntent('mint', {
        assetID,
        to: you,
        amount: 5n,
        utxo: { txID: assetID, outputIndex: 1 },
      }),
      operationIntent('mintProperty', { assetID, to: you }),
      operationIntent('burnProperty', { assetID }),
      operationIntent('transferNFT', { assetID, to: you }),
      operationIntent('transferNFT', { assetID, to: you, groupID: 1 }),
      operationIntent('mintNFT', { ...nft, recipients: [{ to: you }] }),
      operationIntent('mintNFT', { ...nft, recipients: [{ to: you }, { to: you }] }),
      operationIntent('mintNFT', { ...nft, recipients: [{ to: you }], payload: 'b' }),
      operationIntent('mintNFT', { ...nft, recipients: [{ to: you }], groupID: 2 }),
    ].map(digestFor)
    expect(new Set([mints[0], ...others]).size).toBe(1 + others.length)
    const payload = Uint8Array.of(97)
    const written = operationIntent('mintNFT', { ...nft, payload, recipients: [{ to: bytes }] })
    expect(digestFor(written)).toBe(others[9])
  })

  it('of a new asset does not depend on how it is written', () => {
    const digestFor = (call: Partial<CreateAssetCall>) => {
      const asset = { name: 'A', symbol: 'A', minters: [{ to: you }], ...call }
      return digestOf(createAssetIntent(asset).contents(local))
    }
    const to = people[1]!.addresses[0]!
    const digest = digestFor({})
    for (const same of [
      { denomination: 0, memo: '', holders: [] },
      { minters: [{ to: [to], threshold: 1 }] },
      { maxFee: 9n, changeTo: me },
    ])
      expect(digestFor(same)).toBe(digest)
    const others = [
      { name: 'B' },
      { symbol: 'B' },
      { denomination: 1 },
      { memo: 'a' },
      { burn: [{ amount: 1n }] },
      { minters: [{ to: me }] },
      { minters: [{ to: you }, { to: you }] },
      { minters: [], propertyMinters: [{ to: you }] },
      { holders: [{ to: you, amount: 5n }] },
      { holders: [{ to: you, amount: 6n }] },
    ].map(digestFor)
    expect(new Set([digest, ...others]).size).toBe(1 + others.length)
  })

  it('of an export depends on the chain; of sendAll on the asset and the owner', () => {
    const to = addressOf(people[1]!, 'P')
    const output = { to: people[1]!.addresses[0]!, amount: 5n }
    const exports = ['P', 'C'].map((destinationChain) =>
      digestOf(exportIntent({ ...output, destinationChain }).contents(local)),
    )
    const text = exportIntent({ to, amount: 5n, destinationChain: 'P' }).contents(local)
    expect(digestOf(text)).toBe(exports[0])
    const all = [
      sendAllIntent({ to: you }),
      sendAllIntent({ to: me }),
      sendAllIntent({ to: you, assetID: fuji.assetID }),
      sendAllIntent({ to: you, locktime: 9n }),
    ].map((intent) => digestOf(intent.contents(local)))
    const digests = [...exports, ...all, digestFor(output)]
    expect(new Set(digests).size).toBe(digests.length)
  })

  const output = fc.record({
    to: fc.constantFrom(me, you, third),
    amount: fc.bigInt({ min: 1n, max: 3n }),
    locktime: fc.constantFrom(0n, 9n),
  })
  const outputs = fc.array(output, { minLength: 1, maxLength: 4 })
  /** Independent of the code under test: the multiset of outputs as text. */
  const named = (list: readonly { to: string; amount: bigint; locktime: bigint }[]) =>
    list
      .map(({ to, amount, locktime }) => `${to} ${amount} ${locktime}`)
      .sort()
      .join()

  test.prop([outputs, outputs])('is equal exactly for equal outputs in any order', (a, b) => {
    const isEqual = named(a) === named(b)
    expect(digestFor({ outputs: a }) === digestFor({ outputs: b })).toBe(isEqual)
  })

  test.prop([outputs])('of each key of a batch is that of a single payment', (list) => {
    const keys = list.map((_, i) => `k${i}`)
    const batch = claimedPayments(
      { keys },
      transferIntent({ outputs: list }).contents(local),
      local,
    )
    expect(batch.map(({ key, digest }) => [key, hex.encode(digest)])).toEqual(
      list.map((one, i) => [`k${i}`, digestFor(one)]),
    )
  })
})

describe('claimedPayments', () => {
  const content: Content = { kind: 'transfer', parts: ['a'] }

  it('generates a key that no caller can use', () => {
    const [one] = claimedPayments({}, [content], local)
    const [other] = claimedPayments({}, [content], local)
    expect(one).toMatchObject({ generated: true })
    expect(one!.key).not.toBe(other!.key)
    expect(() => claimedPayments({ key: one!.key }, [content], local)).toThrow(
      expect.objectContaining({ code: 'BAD_KEY' }),
    )
  })

  it('makes one payment of several outputs under one key', () => {
    expect(claimedPayments({ key: 'a' }, [content, content], local)).toHaveLength(1)
  })

  /** By UTF-8, which has no lone surrogates. */
  const isWellFormed = (text: string) =>
    new TextDecoder().decode(new TextEncoder().encode(text)) === text.replace(/^\uFEFF/, '')
  const isKey = (text: string) =>
    text.length >= 1 && text.length <= 256 && isWellFormed(text) && !text.startsWith('auto-')

  test.prop([
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300, size: 'max' }),
      fc
        .array(fc.integer({ min: 0xd7ff, max: 0xe000 }), { maxLength: 4 })
        .map((units) => String.fromCharCode(...units)),
      fc.string({ maxLength: 3 }).map((text) => `auto-${text}`),
    ),
  ])('takes exactly 1 to 256 characters of well-formed Unicode', (key) => {
    const claim = () => claimedPayments({ key }, [content], local)
    if (isKey(key)) expect(claim()).toMatchObject([{ key }])
    else expect(claim).toThrow(expect.objectContaining({ code: 'BAD_KEY' }))
  })

  test.prop([fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 }), fc.nat(5)])(
    'takes exactly one key per payment, each once',
    (keys, count) => {
      const claim = () => claimedPayments({ keys }, Array(count).fill(content), local)
      const repeated = [...new Set(keys.filter((key, i) => keys.indexOf(key) !== i))]
      if (keys.length !== count) expect(claim).toThrow(expect.objectContaining({ code: 'BAD_KEY' }))
      else if (repeated.length > 0)
        expect(claim).toThrow(expect.objectContaining({ code: 'KEYS_REPEATED', keys: repeated }))
      else expect(claim().map(({ key }) => key)).toEqual(keys)
    },
  )
})
