import { describe, expect, it } from 'vitest'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { formatExplanation } from '../../src/core/sign/explain/explain-text.ts'
import { explainRequest } from '../../src/core/sign/request/explain-request.ts'
import { flowsOf } from '../../src/page/elements/flows.ts'
import { keysOf, owners } from '../core/sign/fixtures.ts'
import { asset, requestOf } from '../core/sign/scenes.ts'

/** A payment of AVAX and of an asset with a symbol, explained. */
function payment(symbol: string) {
  const { assetID, proof } = asset({ name: 'AVAX', symbol, denomination: 0 })
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
  return { assetID, explanation: explainRequest(request, { ours: keysOf(0) }) }
}

describe('flowsOf', () => {
  it('escapes symbols as explanations do', () => {
    const { assetID, explanation } = payment('\u0410VA')
    const [name] = flowsOf(explanation).flatMap((flow) => (flow.name === 'AVAX' ? [] : [flow.name]))
    expect(name).toBe(`\\u{410}VA, asset ${formatID(assetID)}`)
    expect(formatExplanation(explanation)).toContain(`${formatID(assetID)} "\\u{410}VA"`)
  })

  it('never shows the symbol of the native asset alone for another asset', () => {
    const { assetID, explanation } = payment('AVAX')
    const texts = flowsOf(explanation).map(({ text }) => text(5n))
    const id = formatID(assetID)
    expect(texts.sort()).toEqual(['0.000000005 AVAX', `5 ${id.slice(0, 4)}…${id.slice(-4)} "AVAX"`])
    expect(formatExplanation(explanation)).toMatch(
      new RegExp(`^asset +${id} "AVAX", 0 decimals$`, 'm'),
    )
  })
})
