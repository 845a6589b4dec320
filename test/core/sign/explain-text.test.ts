import { describe, expect, it } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { buildCreateAsset } from '../../../src/core/draft/x/create-asset.ts'
import { buildTransfer } from '../../../src/core/draft/x/transfer.ts'
import { explainDraft } from '../../../src/core/sign/explain/explain.ts'
import { formatExplanation } from '../../../src/core/sign/explain/explain-text.ts'
import { alice, bob, coin, idOf } from '../coins/samples.ts'
import { context, fee, funds, native } from '../draft/x/sound.ts'

describe('formatExplanation', () => {
  const given = funds(native('a', 50n * fee), coin('t', 100_000_000_000n, { assetID: idOf('tok') }))
  const nativeAmounts = (text: string) => text.match(/[0-9.]+ +AVAX(?= +(to|$))/gm)

  it('does not show the name of the native asset alone for a token', () => {
    const tokenID = formatID(idOf('tok'))
    const paying = buildTransfer({
      context,
      funds: given,
      outputs: [
        { to: alice, amount: 100_000_000_000n, assetID: idOf('tok') },
        { to: bob, amount: 10n * fee },
      ],
    })
    const assets = { [tokenID]: { symbol: 'AVAX', denomination: 9 } }
    const text = formatExplanation(explainDraft(paying, { ours: [alice], assets }))
    expect(text).toContain(`AVAX of ${tokenID}`)
    expect(nativeAmounts(text)?.some((amount) => amount.startsWith('100 '))).toBe(false)
  })

  it('does not show it alone for an asset that is being created', () => {
    const creating = buildCreateAsset({
      context,
      funds: given,
      name: 'AVAX',
      symbol: 'AVAX',
      denomination: 9,
      holders: [{ to: alice, amount: 500_000_000_000n }],
    })
    const text = formatExplanation(explainDraft(creating, { ours: [alice] }))
    expect(text).toMatch(/^return +500 +the new asset "AVAX" +to /m)
    expect(text).toMatch(/^WARNING LOOK_ALIKE /m)
    expect(nativeAmounts(text)?.some((amount) => amount.startsWith('500 '))).toBe(false)
  })
})
