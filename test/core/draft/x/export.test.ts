import { describe, expect, it } from 'vitest'
import { formatID } from '../../../../src/core/base/encoding/ids.ts'
import type { ExportTx } from '../../../../src/core/chain/x/tx.ts'
import { buildExport } from '../../../../src/core/draft/x/export.ts'
import { codeOf } from '../../../helpers/vectors.ts'
import { bob, coin, idOf, trio } from '../../coins/samples.ts'
import { addressText, context, expectSound, fee, funds, native } from './sound.ts'

const token = idOf('token')
const list = [native('a', 10n * fee), coin('t', 9n, { assetID: token })]

describe('buildExport', () => {
  it('exports several assets to P, the fee on top', () => {
    const draft = buildExport({
      context,
      funds: funds(...list),
      destinationChain: 'P',
      outputs: [
        { to: addressText(bob, 'P'), amount: 4n, assetID: formatID(token) },
        { to: trio, threshold: 2, amount: 3n * fee },
      ],
    })
    expectSound(draft)
    const tx = draft.unsignedTx as ExportTx
    expect(tx.exportedOutputs).toHaveLength(2)
    expect(tx.outputs.map(({ output }) => output.amount)).toEqual(
      draft.change.map(({ amount }) => amount),
    )
    expect(draft.change.map(({ amount }) => amount).sort()).toEqual([5n, 6n * fee].sort())
  })

  it('does not export to C what C cannot import, except with allowStuck', () => {
    const options = {
      context,
      funds: funds(...list),
      destinationChain: 'C',
      outputs: [{ to: bob, amount: 4n, assetID: token }],
    }
    expect(codeOf(() => buildExport(options))).toBe('STUCK_EXPORT')
    expect(codeOf(() => buildExport({ ...options, destinationChain: context.chains.C! }))).toBe(
      'STUCK_EXPORT',
    )
    for (const allowStuck of ['false', 1, {}] as unknown[] as boolean[])
      expect(codeOf(() => buildExport({ ...options, allowStuck }))).toBe('ENC_INVALID')
    expectSound(buildExport({ ...options, allowStuck: true }))
    expectSound(buildExport({ ...options, destinationChain: 'P' }))
  })

  it('accepts any chain by its ID, with addresses of that chain', () => {
    const destinationChain = idOf('a chain')
    const exporting = (to: string) =>
      buildExport({
        context,
        funds: funds(...list),
        destinationChain,
        outputs: [{ to, amount: 1n }],
      })
    const draft = exporting(addressText(bob, formatID(destinationChain)))
    expect((draft.unsignedTx as ExportTx).destinationChain).toEqual(destinationChain)
    expect(codeOf(() => exporting(addressText(bob, 'P')))).toBe('ENC_WRONG_CHAIN')
  })
})
