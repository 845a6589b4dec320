import { checkedHex } from '../../../../src/core/base/encoding/checked-hex.ts'
import { networks } from '../../../../src/core/chain/networks.ts'
import type { OutputOwners } from '../../../../src/core/chain/owners.ts'
import { encodeUTXO, type UTXO } from '../../../../src/core/chain/x/utxo.ts'
import { formatRequest } from '../../../../src/core/sign/request/request-file.ts'
import type { SigningRequest } from '../../../../src/core/sign/request/signing-request.ts'
import { created, owners, paying } from '../fixtures.ts'
import {
  asset,
  changeTo,
  fileOf,
  payingToken,
  plain,
  requestOf,
  rest,
  type Scene,
  thief,
  vault,
  wide,
} from '../scenes.ts'
import type { Case } from '../verdicts.ts'

const { local } = networks

/** The file after the attacker has changed the request and corrected the IDs. */
function forged(
  scene: Scene,
  change: (request: SigningRequest) => Partial<SigningRequest>,
): string {
  const request = requestOf(scene)
  return formatRequest({ ...request, ...change(request) })
}

function withOwners(utxo: UTXO, of: Partial<OutputOwners>): UTXO {
  return { ...utxo, output: { ...utxo.output, ...of } }
}

const toWide = changeTo(wide)
const token = asset()
const tokens = payingToken(token.assetID)

/** What a file states of a spent UTXO, and the code with which its parent refutes it. */
const claims: [string, (utxo: UTXO) => UTXO, string][] = [
  ['more owners than there are', (utxo) => withOwners(utxo, wide), 'REQUEST_PROOF'],
  ['other owners', (utxo) => withOwners(utxo, owners(2, 0, 5)), 'REQUEST_PROOF'],
  ['a later locktime', (utxo) => withOwners(utxo, { locktime: 5n }), 'REQUEST_PROOF'],
  ['another output of the parent', (utxo) => ({ ...utxo, outputIndex: 1 }), 'UTXO_MISMATCH'],
  ['an output that the parent has not', (utxo) => ({ ...utxo, outputIndex: 9 }), 'UTXO_MISMATCH'],
  ['another asset', (utxo) => ({ ...utxo, assetID: new Uint8Array(32).fill(7) }), 'UTXO_MISMATCH'],
  ['another amount', (utxo) => ({ ...utxo, output: paying(7n, vault) }), 'UTXO_MISMATCH'],
  ['a lower threshold', (utxo) => withOwners(utxo, { threshold: 1 }), 'TOO_MANY_SIGNERS'],
]

/** Requests with false, missing or useless proofs of UTXOs and assets. */
export const proofCases: readonly Case[] = [
  ...claims.map(
    ([what, change, code]): Case => [
      `a UTXO that is said to have ${what}, with its true parent`,
      () => {
        const utxos = requestOf(toWide).utxos.map((utxo) => encodeUTXO(change(utxo)))
        const file = JSON.parse(fileOf(toWide))
        return JSON.stringify({ ...file, utxos: utxos.map((bytes) => checkedHex.encode(bytes)) })
      },
      [0],
      { read: code },
    ],
  ),
  [
    'false owners without a proof',
    () =>
      forged(toWide, ({ utxos }) => ({
        utxos: utxos.map((utxo) => withOwners(utxo, wide)),
        proofs: [],
      })),
    [0, 1],
    {
      pays: [1_000_000, rest(99_000_000)],
      returns: [],
      warns: ['UNPROVEN_UTXO!', 'FOREIGN_CHANGE!', 'SHARED_OUTPUT!'],
    },
  ],
  [
    'false owners in a file of version 1, which has no proofs',
    () => {
      const text = forged(toWide, ({ utxos }) => ({
        utxos: utxos.map((utxo) => withOwners(utxo, wide)),
        proofs: [],
      }))
      const { proofs: _, ...old } = JSON.parse(text)
      return JSON.stringify({ ...old, version: 1 })
    },
    [0],
    { read: 'REQUEST_VERSION' },
  ],
  [
    'false owners with a parent that was made up to fit',
    () =>
      forged(toWide, ({ utxos }) => ({
        utxos: utxos.map((utxo) => withOwners(utxo, wide)),
        proofs: [
          created([{ assetID: local.assetID, output: paying(100_000_000_000n, wide) }]).parent,
        ],
      })),
    [0],
    { read: 'REQUEST_PROOF' },
  ],
  [
    'a request whose proofs were removed',
    () => forged(plain, () => ({ proofs: [] })),
    [0],
    {
      pays: [1_000_000, rest(99_000_000)],
      returns: [],
      warns: ['UNPROVEN_UTXO!', 'FOREIGN_CHANGE!', 'SHARED_OUTPUT!'],
    },
  ],
  [
    'the same, read without keys',
    () => forged(plain, () => ({ proofs: [] })),
    undefined,
    {
      pays: [1_000_000, rest(99_000_000)],
      returns: [],
      warns: ['UNPROVEN_UTXO!', 'FOREIGN_CHANGE!'],
    },
  ],
  [
    'a proof that is there twice',
    () => forged(plain, ({ proofs }) => ({ proofs: [...proofs, ...proofs] })),
    [0],
    { read: 'REQUEST_PROOF' },
  ],
  [
    'a proof that proves nothing here',
    () => forged(plain, ({ proofs }) => ({ proofs: [...proofs, asset().proof] })),
    [0],
    { read: 'REQUEST_PROOF' },
  ],
  [
    'a proof that is no transaction',
    () => forged(plain, () => ({ proofs: [new Uint8Array(5)] })),
    [0],
    { read: 'REQUEST_PROOF' },
  ],
  [
    'a parent of another network',
    () => {
      const foreign = created(
        [{ assetID: local.assetID, output: paying(100_000_000_000n, vault) }],
        networks.fuji,
      )
      const { txID } = foreign.utxos[0]!
      return forged(plain, ({ utxos, signerSets }) => {
        const { unsignedTx } = signerSets[0]!
        const inputs = unsignedTx.inputs.map((input) => ({ ...input, txID }))
        return {
          utxos: utxos.map((utxo) => ({ ...utxo, txID })),
          signerSets: [{ unsignedTx: { ...unsignedTx, inputs }, signatures: [] }],
          proofs: [foreign.parent],
        }
      })
    },
    [0],
    { read: 'REQUEST_PROOF' },
  ],
  [
    'a token with its proof',
    () => fileOf(tokens, [token.proof]),
    [0],
    {
      pays: [5_000_000],
      returns: [[1_000_000, 'vault', false]],
      warns: [],
    },
  ],
  [
    'a token without its proof',
    () => fileOf(tokens),
    [0],
    {
      pays: [5_000_000],
      returns: [[1_000_000, 'vault', false]],
      warns: ['UNPROVEN_ASSET!'],
    },
  ],
  [
    'a token with the proof of another one that has other decimals',
    () =>
      forged(tokens, ({ proofs }) => ({ proofs: [...proofs, asset({ denomination: 9 }).proof] })),
    [0],
    { read: 'REQUEST_PROOF' },
  ],
  [
    'a token whose ID is that of a transfer',
    () => {
      const { parent, utxos } = created([{ assetID: local.assetID, output: paying(1n, thief) }])
      return forged(payingToken(utxos[0]!.txID), ({ proofs }) => ({ proofs: [...proofs, parent] }))
    },
    [0],
    { read: 'REQUEST_PROOF' },
  ],
]
