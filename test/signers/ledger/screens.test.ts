import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import '../../../src/core/c-chain.ts'
import '../../../src/core/p-chain.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { spendsUTXO } from '../../../src/core/sign/chain.ts'
import { chainNamed } from '../../../src/core/sign/registry.ts'
import { ledgerScreens } from '../../../src/signers/ledger/index.ts'
import { codeOf, vectors } from '../../helpers/vectors.ts'
import { chainOf, parseTransaction } from './app-parser.ts'

type Vector = {
  readonly name: string
  readonly bytesHex: string
  readonly screens: readonly (readonly [title: string, text: string])[]
}

const snapshots = vectors<Vector[]>('ledger-screens.json')

/** Staking and subnets, of which there are no drafts. */
const WITHOUT_DRAFT = [
  'add_delegator',
  'add_subnet_validator',
  'add_validator',
  'create_chain',
  'create_subnet',
  'sample',
]

function draftOf(bytes: Uint8Array) {
  const chain = chainNamed(chainOf(bytes.slice(10, 42)))
  const unsignedTx = chain.decodeUnsignedTx(bytes)
  const utxos = chain
    .spends(unsignedTx)
    .filter(spendsUTXO)
    .map(() => undefined)
  return { chain: chain.alias, unsignedTx, utxos, context: networks.fuji } as never
}

describe('the emulated app', () => {
  it('has all snapshots of the app', () => {
    expect(snapshots.length).toBe(29)
  })
  for (const { name, bytesHex, screens } of snapshots)
    it(`shows ${name} like the app`, () => {
      expect(parseTransaction(hex.decode(bytesHex)).items()).toEqual(screens)
    })
})

describe('ledgerScreens', () => {
  for (const { name, bytesHex, screens } of snapshots.filter(
    (v) => !WITHOUT_DRAFT.includes(v.name),
  ))
    it(`predicts ${name}`, () => {
      const predicted = ledgerScreens(draftOf(hex.decode(bytesHex)))
      expect(predicted.map(({ title, text }) => [title, text])).toEqual(screens)
    })

  for (const { name, bytesHex } of snapshots.filter((v) => WITHOUT_DRAFT.includes(v.name)))
    it(`has no draft of ${name}`, () => {
      expect(codeOf(() => draftOf(hex.decode(bytesHex)))).toBe('CODEC_WRONG_TYPE')
    })
})
