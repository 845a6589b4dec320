import { describe, expect, it } from 'vitest'
import type { FxOperation } from '../../../../src/core/chain/x/fx.ts'
import { verifyFxOperation } from '../../../../src/core/chain/x/verify/verify-fx.ts'

const addresses = [new Uint8Array(20).fill(1), new Uint8Array(20).fill(2)]
const owners = { locktime: 0n, threshold: 1, addresses }
const signer = { signatureIndices: [0, 1] }
const payload = new Uint8Array(1024)

const operations: FxOperation[] = [
  {
    type: 'secp256k1fx.MintOperation',
    mintInput: signer,
    mintOutput: { type: 'secp256k1fx.MintOutput', ...owners },
    transferOutput: { type: 'secp256k1fx.TransferOutput', amount: 1n, ...owners },
  },
  {
    type: 'nftfx.MintOperation',
    mintInput: signer,
    groupID: 0,
    payload,
    outputs: [owners, owners],
  },
  {
    type: 'nftfx.TransferOperation',
    input: signer,
    output: { type: 'nftfx.TransferOutput', groupID: 0, payload, ...owners },
  },
  {
    type: 'propertyfx.MintOperation',
    mintInput: signer,
    mintOutput: { type: 'propertyfx.MintOutput', ...owners },
    ownedOutput: { type: 'propertyfx.OwnedOutput', ...owners },
  },
  { type: 'propertyfx.BurnOperation', ...signer },
]

/** What the node's syntactic rules refuse in a member, wherever it is. */
const refused: { readonly [member: string]: readonly [value: unknown, code: string][] } = {
  threshold: [
    [3, 'OWNERS_UNSPENDABLE'],
    [0, 'OWNERS_UNOPTIMIZED'],
  ],
  addresses: [
    [addresses.toReversed(), 'ADDRS_NOT_SORTED_UNIQUE'],
    [[addresses[0], addresses[0]], 'ADDRS_NOT_SORTED_UNIQUE'],
  ],
  signatureIndices: [
    [[1, 0], 'SIG_INDICES_NOT_SORTED_UNIQUE'],
    [[1, 1], 'SIG_INDICES_NOT_SORTED_UNIQUE'],
  ],
  amount: [[0n, 'OUTPUT_ZERO_AMOUNT']],
  payload: [[new Uint8Array(1025), 'PAYLOAD_TOO_LARGE']],
}

type Part = { readonly [member: string]: unknown } | readonly unknown[]
const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)

/** The operation with one member of one of its parts replaced by each refused value, and the path of that part. */
function* broken(part: Part, path: string): Generator<[value: Part, path: string, code: string]> {
  for (const [member, own] of Object.entries(part)) {
    for (const [value, code] of refused[member] ?? [])
      yield [{ ...part, [member]: value }, path, code]
    if (refused[member] !== undefined || !isPart(own)) continue
    const at = Array.isArray(part) ? `${path}[${member}]` : `${path}.${member}`
    for (const [value, where, code] of broken(own, at))
      yield [
        Array.isArray(part) ? part.with(Number(member), value) : { ...part, [member]: value },
        where,
        code,
      ]
  }
}

describe('verifyFxOperation', () => {
  for (const operation of operations)
    it(`checks every part of ${operation.type}`, () => {
      expect(() => verifyFxOperation(operation, 'op')).not.toThrow()
      const cases = [...broken(operation, 'op')]
      expect(cases.length).toBeGreaterThan(1)
      for (const [value, path, code] of cases)
        expect(() => verifyFxOperation(value as FxOperation, 'op'), `${path} ${code}`).toThrow(
          expect.objectContaining({ code, path }),
        )
    })
})
