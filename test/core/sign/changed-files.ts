import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { fileOf, plain } from './scenes.ts'

function longer(proof: string): string {
  return checkedHex.encode(new Uint8Array([...checkedHex.decode(proof), 0]))
}

/** A request file in which any value may be replaced by any other. */
type File = {
  readonly network: { [name: string]: unknown }
  readonly change: { amount: unknown }[]
  readonly proofs: string[]
  readonly paths: object[]
  signerSets: object[]
  readonly utxos: string[]
  [name: string]: unknown
}

const original = fileOf(plain)
const changed = (change: (file: File) => void) => {
  const file: File = JSON.parse(original)
  change(file)
  return JSON.stringify(file)
}

/** Changed files, and the codes with which they are rejected. */
export const changedFiles: readonly (readonly [what: string, file: string, code: string])[] = [
  [
    'a member of the prototype',
    original.replace('{', '{"__proto__": {"version": 1},'),
    'UNKNOWN_OPTION',
  ],
  ['a member that is not known', changed((f) => (f.note = 'x')), 'UNKNOWN_OPTION'],
  ['an unknown member of the network', changed((f) => (f.network.fee = 1)), 'UNKNOWN_OPTION'],
  ['no chain', changed((f) => (f.chain = undefined)), 'REQUEST_MALFORMED'],
  ['an unknown chain', changed((f) => (f.chain = 'D')), 'REQUEST_MALFORMED'],
  ['version 1', changed((f) => (f.version = 1)), 'REQUEST_VERSION'],
  [
    'a list of UTXOs twice',
    original.replace('"utxos": [', '"utxos": [], "utxos": ['),
    'REQUEST_MALFORMED',
  ],
  [
    'a transaction twice',
    original.replace('"unsignedTx":', '"unsignedTx": "0x", "unsignedTx":'),
    'REQUEST_MALFORMED',
  ],
  [
    'a member twice, once spelled with an escape',
    original.replace('"paths":', '"p\\u0061ths": [], "paths":'),
    'REQUEST_MALFORMED',
  ],
  ['a comment', original.replace('{', '{/* x */'), 'REQUEST_MALFORMED'],
  ['two documents', original + original, 'REQUEST_MALFORMED'],
  ['a byte order mark', `\ufeff${original}`, 'REQUEST_MALFORMED'],
  [
    'null instead of proofs',
    changed((f) => Object.assign(f, { proofs: null })),
    'REQUEST_MALFORMED',
  ],
  ['a version as text', changed((f) => (f.version = '2')), 'REQUEST_VERSION'],
  ['a later version', changed((f) => (f.version = 3)), 'REQUEST_VERSION'],
  [
    'another network’s name for the same IDs',
    changed((f) => (f.network.networkID = 1)),
    'REQUEST_NETWORK',
  ],
  [
    'a native asset of its own',
    changed((f) => (f.network.assetID = f.network.chainID)),
    'REQUEST_NETWORK',
  ],
  [
    'an amount of change in exponents',
    changed((f) => (f.change[0]!.amount = '9e9')),
    'REQUEST_MALFORMED',
  ],
  [
    'an amount of change beyond 64 bits',
    changed((f) => (f.change[0]!.amount = '18446744073709551616')),
    'REQUEST_MALFORMED',
  ],
  ['change twice', changed((f) => f.change.push(f.change[0]!)), 'REQUEST_MALFORMED'],
  [
    'change of an output that is not there',
    changed((f) => (f.change[0]!.amount = '5')),
    'REQUEST_MALFORMED',
  ],
  [
    'a proof with another checksum',
    changed((f) => (f.proofs[0] = f.proofs[0]!.replace(/.$/, (d) => (d === '0' ? '1' : '0')))),
    'REQUEST_MALFORMED',
  ],
  [
    'a proof with a byte behind it',
    changed((f) => (f.proofs[0] = longer(f.proofs[0]!))),
    'REQUEST_PROOF',
  ],
  [
    'a path outside of the coin',
    changed((f) =>
      f.paths.push({
        address: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
        path: "m/44'/60'/0'/0/0",
      }),
    ),
    'REQUEST_MALFORMED',
  ],
  [
    'a path of somebody who owns nothing',
    changed((f) =>
      f.paths.push({
        address: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
        path: "m/44'/9000'/0'/0/0",
      }),
    ),
    'REQUEST_MALFORMED',
  ],
  [
    'the same signer set twice',
    changed((f) => f.signerSets.push(f.signerSets[0]!)),
    'REQUEST_SIGNER_SETS',
  ],
  ['no signer set', changed((f) => (f.signerSets = [])), 'REQUEST_SIGNER_SETS'],
  ['a UTXO too many', changed((f) => f.utxos.push(f.utxos[0]!)), 'UTXO_MISMATCH'],
  ['a UTXO too few', changed((f) => f.utxos.pop()), 'UTXO_UNKNOWN'],
  ['an ID of another request', changed((f) => (f.id = f.network.chainID)), 'REQUEST_ID'],
  ['a transaction ID before it is signed', changed((f) => (f.txID = f.id)), 'REQUEST_TX_ID'],
]
