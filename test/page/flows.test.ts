import { describe, expect, it } from 'vitest'
import { flowsOf } from '../../page/flows.ts'
import { formatID } from '../../src/encoding/index.ts'
import { explainRequest, formatExplanation } from '../../src/sign/index.ts'
import { keysOf, owners } from '../sign/fixtures.ts'
import { asset, requestOf } from '../sign/scenes.ts'

describe('flowsOf', () => {
  it('never shows the symbol of the native asset alone for another asset', () => {
    const { assetID, proof } = asset({ name: 'AVAX', symbol: 'AVAX', denomination: 0 })
    const request = requestOf(
      {
        spend: [
          [owners(1, 0), 2_000_000],
          [owners(1, 1), 5, assetID],
        ],
        pay: [
          [owners(1, 1), 1_999_000],
          [owners(1, 0), 5, assetID],
        ],
      },
      [proof],
    )
    const explanation = explainRequest(request, { ours: keysOf(0) })
    const texts = flowsOf(explanation).map(({ text }) => text(5n))
    const unit = `AVAX of ${formatID(assetID)}`
    expect(texts.sort()).toEqual(['0.000000005 AVAX', `5 ${unit}`])
    expect(formatExplanation(explanation)).toMatch(new RegExp(`^asset +${unit}, 0 decimals$`, 'm'))
  })
})
