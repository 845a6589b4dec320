import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { parseID } from '../../../src/core/base/encoding/ids.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { txID, utxoID } from '../../../src/core/chain/x/ids.ts'
import { decodeTx, type SignedTx } from '../../../src/core/chain/x/tx.ts'
import { decodeUTXO, type UTXO } from '../../../src/core/chain/x/utxo.ts'
import { verifyTx } from '../../../src/core/chain/x/verify/verify.ts'
import { type StateView, verifyAgainstState } from '../../../src/devnode/x-chain/semantic.ts'
import { bytesOf, type GeneratedCase, vectors } from '../../helpers/vectors.ts'

type SemanticContextCase = GeneratedCase & {
  readonly accepted: readonly string[]
  readonly subnets: readonly { readonly chain: string; readonly subnet: string }[]
}
type SemanticCase = GeneratedCase & {
  readonly now: string
  readonly utxos?: readonly string[]
  readonly atomic?: readonly {
    readonly chain: string
    readonly key: string
    readonly value: string
  }[]
  readonly stage?: 'syntactic' | 'semantic'
}

const [context, ...cases] =
  vectors<[SemanticContextCase, ...SemanticCase[]]>('generated/semantic.json')

const accepted = new Map<string, SignedTx>()
for (const bytes of context.accepted.map(hex.decode))
  accepted.set(hex.encode(txID(bytes)), decodeTx(bytes))
const subnets = new Map(
  context.subnets.map(({ chain, subnet }) => [hex.encode(parseID(chain)), parseID(subnet)]),
)

function stateOf(item: SemanticCase): StateView {
  const utxos = new Map<string, UTXO>()
  for (const bytes of item.utxos ?? []) {
    const utxo = decodeUTXO(hex.decode(bytes))
    utxos.set(hex.encode(utxoID(utxo.txID, utxo.outputIndex)), utxo)
  }
  const atomic = new Map(
    (item.atomic ?? []).map(({ chain, key, value }) => [
      `${hex.encode(parseID(chain))}:${keyOf(key)}`,
      hex.decode(value),
    ]),
  )
  return {
    now: BigInt(item.now),
    utxo: (id) => utxos.get(hex.encode(id)),
    atomic: (chain, key) => atomic.get(`${hex.encode(chain)}:${hex.encode(key)}`),
    tx: (id) => accepted.get(hex.encode(id)),
    subnetOf: (chain) => subnets.get(hex.encode(chain)),
  }
}

/** Keys of shared memory are written as hex or as an ID. */
function keyOf(key: string): string {
  return /^[0-9a-f]{64}$/.test(key) ? key : hex.encode(parseID(key))
}

function verdictOf(run: () => void): object {
  try {
    run()
    return { ok: true }
  } catch (error) {
    const { code, reason } = error as { code: string; reason: string }
    return { ok: false, code, err: reason }
  }
}

describe('verifyAgainstState', () => {
  for (const item of cases)
    it(`agrees with the node on ${item.id}`, () => {
      const tx = decodeTx(bytesOf(item))
      const state = stateOf(item)
      const verdict = verdictOf(() => {
        verifyTx(tx, networks.local)
        verifyAgainstState(tx, state, networks.local)
      })
      // The stand-in for the P-Chain that generated these cases only says "chain not found".
      const err = item.err?.replace(
        /^failed to get subnet of ("\w+"): chain not found$/,
        'failed to get subnet of $1: problem retrieving blockchain $1: not found',
      )
      expect(verdict).toEqual(item.ok ? { ok: true } : { ok: false, code: item.code, err })
    })

  it('accepts the clock as a number', () => {
    const locked = cases.find(({ code }) => code === 'TIMELOCKED')!
    const state = stateOf(locked)
    const run = (now: number) => () =>
      verifyAgainstState(decodeTx(bytesOf(locked)), { ...state, now }, networks.local)
    expect(run(Number(locked.now))).toThrow(expect.objectContaining({ code: 'TIMELOCKED' }))
    expect(run(2 ** 52)).not.toThrow()
  })

  it('checks the number of credentials without verifyTx', () => {
    const item = cases.find(({ ok }) => ok)!
    const { unsignedTx } = decodeTx(bytesOf(item))
    expect(() =>
      verifyAgainstState({ unsignedTx, credentials: [] }, stateOf(item), networks.local),
    ).toThrow(expect.objectContaining({ code: 'WRONG_NUMBER_OF_CREDENTIALS' }))
  })
})
