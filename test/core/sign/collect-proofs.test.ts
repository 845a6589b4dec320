import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import { collectProofs } from '../../../src/core/sign/proofs/collect.ts'
import { created, owners, paying, transfer } from './fixtures.ts'

// Whatever a server answers, exactly the true transactions are collected: each once, and no other bytes.

const { assetID } = networks.local

/** What the server does with the question for a transaction. */
const answers = ['bytes', 'decoded', 'nothing', 'another', 'damaged', 'longer', 'garbage'] as const
type Answer = (typeof answers)[number]

/** How many UTXOs of a transaction are spent, and what is answered when it is asked for. */
const anyParents = fc.array(
  fc.record({
    spent: fc.integer({ min: 1, max: 4 }),
    answer: fc.constantFrom<Answer>(...answers),
    garbage: fc.uint8Array({ maxLength: 200 }),
    at: fc.nat(),
  }),
  { minLength: 1, maxLength: 12 },
)

describe('collectProofs', () => {
  test.prop([anyParents])('collects exactly what hashes to the ID', async (parents) => {
    const made = parents.map((parent, i) => ({
      ...parent,
      ...created(
        Array.from({ length: parent.spent }, (_, n) => ({
          assetID,
          output: paying(2_000_000_000n + BigInt(100 * i + n), owners(1, 0)),
        })),
      ),
    }))
    const byID = new Map(made.map((one, i) => [hex.encode(one.utxos[0]!.txID), { ...one, i }]))
    const asked: string[] = []
    const proofs = await collectProofs(
      transfer(made.flatMap(({ utxos }) => utxos)),
      async (txID) => {
        asked.push(hex.encode(txID))
        const { parent, answer, garbage, at, i } = byID.get(hex.encode(txID))!
        const damaged = parent.slice()
        damaged[at % damaged.length]! ^= 1 + (at % 255)
        return {
          bytes: parent,
          decoded: decodeTx(parent),
          nothing: undefined,
          // Of another question, which the next parent may answer truly.
          another: made[(i + 1) % made.length]!.parent,
          damaged,
          longer: Uint8Array.of(...parent, 0),
          garbage,
        }[answer]
      },
    )
    const isTrue = ({ answer }: { answer: Answer }, i: number): boolean =>
      answer === 'bytes' ||
      answer === 'decoded' ||
      // The transaction before it was answered with this one, or it is the only one.
      made[(i + made.length - 1) % made.length]!.answer === 'another'
    const expected = made.filter(isTrue).map(({ parent }) => hex.encode(parent))
    expect(proofs.map(hex.encode).sort()).toEqual(expected.sort())
    expect(asked.sort()).toEqual([...byID.keys()].sort())
  })
})
