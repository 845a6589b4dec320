import { describe, expect, it } from 'vitest'
import { networks } from '../../../src/core/chain/networks.ts'
import type { OperationTx } from '../../../src/core/chain/x/tx.ts'
import { createRequest } from '../../../src/core/sign/request/request.ts'
import { formatRequest, parseRequest } from '../../../src/core/sign/request/request-file.ts'
import { changedFiles } from './changed-files.ts'
import { coins, transfer } from './fixtures.ts'
import { givingNFT } from './misleading/operations.ts'
import {
  FEE,
  fileOf,
  operating,
  type Put,
  plain,
  requestOf,
  type Scene,
  thief,
  vault,
} from './scenes.ts'
import { codeOf } from './verdicts.ts'

const { local } = networks

describe('a changed request file', () => {
  const read = (file: string) => codeOf(() => parseRequest(file, { network: local }))
  for (const [what, file, code] of changedFiles)
    it(`with ${what} is rejected: ${code}`, () => {
      expect(read(file)).toBe(code)
    })

  it('in which two inputs or two operations spend one UTXO is rejected', () => {
    const { signerSets, utxos, ...request } = requestOf(plain)
    const { unsignedTx } = signerSets[0]!
    const inputs = [...unsignedTx.inputs, ...unsignedTx.inputs]
    const twice = { unsignedTx: { ...unsignedTx, inputs }, signatures: [] }
    const file = formatRequest({ ...request, utxos: [...utxos, ...utxos], signerSets: [twice] })
    expect(read(file)).toBe('INPUTS_NOT_SORTED_UNIQUE')

    const [scene, proofs] = operating(givingNFT(0, thief))
    const operated = requestOf(scene, proofs)
    const tx = operated.signerSets[0]!.unsignedTx as OperationTx
    const operations = [...tx.operations, ...tx.operations]
    const operatingTwice = formatRequest({
      ...operated,
      utxos: [...operated.utxos, operated.utxos.at(-1)!],
      signerSets: [{ unsignedTx: { ...tx, operations }, signatures: [] }],
    })
    expect(read(operatingTwice)).toBe('DOUBLE_SPEND')
  })

  it('with more than 64 signer sets is rejected', () => {
    const addresses = Array.from({ length: 12 }, (_, i) => new Uint8Array(20).fill(i))
    const draft = transfer(coins({ locktime: 0n, threshold: 2, addresses }))
    const pairs = addresses.flatMap((a, i) => addresses.slice(i + 1).map((b) => [a, b]))
    const signerSets = pairs.flatMap((signers) => createRequest(draft, { signers }).signerSets)
    const withSignerSets = (from: number, to: number) =>
      formatRequest({ ...createRequest(draft), signerSets: signerSets.slice(from, to) })
    const most = withSignerSets(0, 64)
    expect(read(most)).toBe('no error')
    const file = JSON.parse(most)
    file.signerSets.push(...JSON.parse(withSignerSets(64, 65)).signerSets)
    expect(read(JSON.stringify(file))).toBe('REQUEST_SIGNER_SETS')
  })

  it('with far more entries of change than outputs is rejected', () => {
    const outputs = Array.from({ length: 1000 }, (_, i): Put => [vault, 1000 + i])
    const total = outputs.reduce((sum, [, amount]) => sum + amount, 0)
    const scene: Scene = { spend: [[vault, total + FEE]], pay: outputs }
    const file = JSON.parse(fileOf(scene))
    const assetID = file.network.assetID
    file.change = Array.from({ length: 50_000 }, () => ({ assetID, amount: '1000000' }))
    expect(read(JSON.stringify(file))).toBe('REQUEST_MALFORMED')
  })
})
