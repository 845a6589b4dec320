import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { contentOf as moveContent } from '../../../src/wallet/moves/plan.ts'
import {
  type Content,
  contentDigest,
  decodeContent,
  encodeContent,
} from '../../../src/wallet/payments/content.ts'
import { detailsText, plainAmounts } from '../../../src/wallet/payments/details-text.ts'
import {
  exportIntent,
  type Intent,
  sendAllIntent,
  transferIntent,
} from '../../../src/wallet/payments/intents.ts'
import { withDetails } from '../../../src/wallet/payments/payment-details.ts'
import { addressOf, people } from '../setup.ts'

const { local } = networks
const [me, you, third] = people.map((keys) => addressOf(keys)) as [string, string, string]

const kinds = ['transfer', 'sendAll', 'export', 'createAsset', 'operate', 'submit', 'move', 'batch']

describe('encodeContent', () => {
  const part = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.uint8Array({ maxLength: 100 }).map((bytes) => hex.encode(bytes)),
    fc.uint8Array({ minLength: 3, maxLength: 9 }).map((bytes) => hex.encode(bytes).toUpperCase()),
    fc
      .record({
        amount: fc.bigInt(1n, 2n ** 64n - 1n),
        locktime: fc.bigInt(0n, 3n),
        many: fc.boolean(),
      })
      .map(({ amount, locktime, many }) => {
        const call = { to: many ? [me, you] : me, threshold: 1, amount, locktime }
        return transferIntent(call).contents(local)[0]!.parts[0]!
      }),
  )

  test.prop([fc.constantFrom(...kinds), fc.array(part, { maxLength: 5 })])(
    'keeps kind and parts, so that the digest can be computed again',
    (kind, parts) => {
      const content = { kind, parts } as Content
      expect(decodeContent(encodeContent(content))).toEqual(content)
    },
  )

  it('rejects bytes that are no content', () => {
    const bytes = encodeContent(transferIntent({ to: you, amount: 5n }).contents(local)[0]!)
    expect(bytes).toHaveLength(71)
    for (let end = 0; end < bytes.length; end++)
      expect(() => decodeContent(bytes.subarray(0, end))).toThrow()
    expect(() => decodeContent(Uint8Array.of(...bytes, 0))).toThrow()
    const unknown = bytes.slice()
    unknown[2] = 200
    expect(() => decodeContent(unknown)).toThrow('unknown kind of payment')
  })
})

describe('the details of a payment', () => {
  const recordOf = (content: Content) => ({
    key: 'k',
    status: 'accepted' as const,
    txID: new Uint8Array(32),
    digest: contentDigest(content, local),
    content: encodeContent(content),
  })
  const textOf = (content: Content) =>
    detailsText(withDetails(recordOf(content), local).details, plainAmounts(local))
  const first = (intent: Intent) => intent.contents(local)[0]!
  const evm = Uint8Array.from({ length: 20 }, (_, i) => i)

  it('name recipients, amounts and assets of every kind of call', () => {
    const asset = new Uint8Array(32).fill(7)
    const cases: [Content, string][] = [
      [first(transferIntent({ to: you, amount: 1_500_000_000n })), `1.5 AVAX to ${you}`],
      [
        first(transferIntent({ to: you, amount: 5n, assetID: asset, memo: 'hi' })),
        `5 of asset ${formatID(asset)} to ${you}: memo 0x6869`,
      ],
      [first(sendAllIntent({ to: you })), `sendAll: the whole balance to ${you}`],
      [
        first(exportIntent({ destinationChain: 'P', to: me.replace('X', 'P'), amount: 2n })),
        `export to P: 0.000000002 AVAX to ${me.replace('X', 'P')}`,
      ],
      [
        moveContent({
          from: 'X',
          to: 'C',
          amount: 10n ** 9n,
          assetID: local.assetID,
          recipient: evm,
          maxFee: 0n,
        }),
        `move to C: 1 AVAX to 0x${hex.encode(evm)}`,
      ],
      [
        { kind: 'operate', parts: [`{"amount":${'5'.repeat(100)}`] },
        `operate: {"amount":${'5'.repeat(70)}…`,
      ],
      [{ kind: 'batch', parts: [] }, 'batch'],
    ]
    for (const [content, text] of cases) expect(textOf(content)).toBe(text)
  })

  it('count the further outputs of a payment with many', () => {
    const outputs = [me, you, third, me].map((to, i) => ({ to, amount: BigInt(i + 1) }))
    const parts = transferIntent({ outputs })
      .contents(local)
      .flatMap((content) => content.parts)
    expect(textOf({ kind: 'transfer', parts })).toBe(
      `0.000000001 AVAX to ${me}; 0.000000002 AVAX to ${you}; 2 more`,
    )
  })

  it('are not shown if the digest is that of another content, or nothing is recorded', () => {
    const paid = first(transferIntent({ to: you, amount: 5n }))
    const other = first(transferIntent({ to: third, amount: 5n }))
    const forged = { ...recordOf(paid), content: encodeContent(other) }
    expect(withDetails(forged, local).details).toBeUndefined()
    expect(withDetails({ ...recordOf(paid), content: undefined }, local).details).toBeUndefined()
    expect(withDetails({ ...recordOf(paid), content: Uint8Array.of(1) }, local)).not.toHaveProperty(
      'details',
    )
    expect(detailsText(undefined, plainAmounts(local))).toBe('not recorded')
  })
})
