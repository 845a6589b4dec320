import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import '../../../src/core/c-chain.ts'
import '../../../src/core/p-chain.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { spendsUTXO } from '../../../src/core/sign/chain.ts'
import { chainNamed } from '../../../src/core/sign/registry.ts'
import { ledgerScreens, ledgerScreensOf } from '../../../src/signers/ledger/index.ts'
import { codeOf, vectors } from '../../helpers/vectors.ts'
import { chainOf, type Item } from './app-fields.ts'
import { parseTransaction } from './app-parser.ts'
import { shownByApp } from './app-shown.ts'

type Vector = {
  readonly name: string
  readonly bytesHex: string
  readonly screens: readonly Item[]
}

const snapshots = vectors<Vector[]>('ledger-screens.json')

/** Types of the P-Chain that the library builds. */
const DRAFTED = [17, 18, 34]

/** The app makes some snapshots with a part of its parser, of networks and chains that it otherwise refuses. */
const ELSEWHERE = [
  'add_permissionless_delegator',
  'add_permissionless_validator',
  'convert_subnet_to_l1',
  'convert_subnet_to_l12',
  'disable_l1_validator',
  'increase_l1_validator_balance',
  'remove_subnet_validator',
  'set_l1_validator_weight',
  'transform_subnet',
]

const typeOf = (bytes: Uint8Array) => bytes[5]!

/** The bytes of a snapshot, on a chain that the app knows. */
function bytesOf({ name, bytesHex }: Vector): Uint8Array {
  const all = hex.decode(bytesHex)
  // This one is signed: 149 bytes of credentials follow.
  const bytes = name === 'transform_subnet' ? all.slice(0, -149) : all
  if (!ELSEWHERE.includes(name)) return bytes
  bytes.set([0, 0, 0x30, 0x39], 6)
  return bytes.fill(0, 10, 42)
}

function hasDraft(vector: Vector): boolean {
  const bytes = bytesOf(vector)
  return chainOf(bytes.slice(10, 42)) !== 'P' || DRAFTED.includes(typeOf(bytes))
}

function draftOf(bytes: Uint8Array) {
  const chain = chainNamed(chainOf(bytes.slice(10, 42)))
  const unsignedTx = chain.decodeUnsignedTx(bytes)
  const utxos = chain
    .spends(unsignedTx)
    .filter(spendsUTXO)
    .map(() => undefined)
  return { chain: chain.alias, unsignedTx, utxos, context: networks.fuji } as never
}

const textsOf = (screens: ReturnType<typeof ledgerScreensOf>): readonly Item[] =>
  screens.map(({ title, text }) => [title, text])

describe('the emulated app', () => {
  it('has all snapshots of the app', () => {
    expect(snapshots.length).toBe(45)
  })
  for (const vector of snapshots)
    it(`shows ${vector.name} like the app`, () => {
      expect(parseTransaction(bytesOf(vector)).items()).toEqual(vector.screens)
    })
})

describe('ledgerScreens', () => {
  for (const vector of snapshots.filter(hasDraft))
    it(`predicts ${vector.name}`, () => {
      expect(textsOf(ledgerScreens(draftOf(bytesOf(vector))))).toEqual(vector.screens)
    })
})

describe('ledgerScreensOf', () => {
  for (const vector of snapshots)
    it(`predicts ${vector.name}`, () => {
      expect(textsOf(ledgerScreensOf(bytesOf(vector), { expert: true }))).toEqual(vector.screens)
    })

  it('refuses networks and chains that the app does not know', () => {
    for (const { name, bytesHex } of snapshots)
      expect(
        codeOf(() => ledgerScreensOf(hex.decode(bytesHex))),
        name,
      ).toBe(ELSEWHERE.includes(name) ? 'LEDGER_UNSUPPORTED' : undefined)
  })

  it('shows what a subnet becomes in expert mode only', () => {
    const vector = snapshots.find(({ name }) => name === 'transform_subnet')!
    expect(textsOf(ledgerScreensOf(bytesOf(vector)))).toEqual(vector.screens.slice(0, 4))
  })

  it('hides stake and change of the device', () => {
    const vector = snapshots.find(({ name }) => name === 'add_delegator')!
    const change = [
      'da2bee01be82ecc00c34f361eda8eb30fb5a715c',
      '3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c',
    ]
    const shown = ledgerScreensOf(bytesOf(vector), { change: change.map(hex.decode) })
    expect(textsOf(shown)).toEqual(
      vector.screens.filter(([title]) => !['Transfer', 'Stake', 'Address'].includes(title)),
    )
  })

  it('refuses what is cut off or goes on', () => {
    for (const vector of snapshots.filter((each) => !hasDraft(each))) {
      const bytes = bytesOf(vector)
      const code = (given: Uint8Array) => codeOf(() => ledgerScreensOf(given))
      for (let length = 0; length < bytes.length; length += 7)
        expect(code(bytes.slice(0, length))).toMatch(/^(CODEC_SHORT_BUFFER|LEDGER_UNSUPPORTED)$/)
      expect(code(Uint8Array.of(...bytes, 0))).toBe('CODEC_TRAILING_BYTES')
    }
  })

  const damaged = fc.constantFrom(...snapshots).chain((vector) => {
    const bytes = bytesOf(vector)
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.constantFrom(0, 1, 2, 20, 64, 127, 255))
    return fc.record({ bytes: fc.constant(bytes), changes: fc.array(change, { maxLength: 3 }) })
  })
  test.prop([damaged], { numRuns: 600 })(
    'never predicts anything else than the app shows',
    (given) => {
      const bytes = given.bytes.slice()
      for (const [at, value] of given.changes) bytes[at] = value
      let predicted: readonly Item[]
      try {
        predicted = textsOf(ledgerScreensOf(bytes, { expert: true }))
      } catch (error) {
        expect((error as { code: string }).code).toMatch(/^(CODEC_|LEDGER_UNSUPPORTED)/)
        return
      }
      expect(predicted).toEqual(shownByApp(bytes, []))
    },
  )
})
