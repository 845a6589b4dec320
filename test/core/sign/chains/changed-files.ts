import { formatAddress } from '../../../../src/core/base/encoding/address.ts'
import { checkedHex } from '../../../../src/core/base/encoding/checked-hex.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import { requireSigned, signDraft } from '../../../../src/index.ts'
import { keysOf } from '../fixtures.ts'
import { alice, context, exportFromC, importToP } from './fixtures.ts'

/** A request file in which any value may be replaced by any other. */
export type File = {
  readonly network: { [name: string]: unknown }
  format: string
  chain: string | undefined
  utxos: string[]
  proofs: unknown[] | undefined
  signerSets: { signatures: object[] }[]
  [name: string]: unknown
}

/** What is changed in a request file, and the code with which the file is rejected. */
export type FileChange = readonly [what: string, change: (file: File) => unknown, code: string]

/** The text of a request file after a change. */
export function changedFile(text: string, change: FileChange[1]): string {
  const file: File = JSON.parse(text)
  change(file)
  return JSON.stringify(file)
}

const someUTXO = checkedHex.encode(pChain.encodeUTXO(importToP().draft.utxos[0]!))

/** Changes that violate the schema of request files. */
export const schemaViolations: readonly FileChange[] = [
  ['an unknown member', (f) => (f.note = '<img src=x>'), 'UNKNOWN_OPTION'],
  ['no proofs', (f) => (f.proofs = undefined), 'REQUEST_MALFORMED'],
  ['a member that is null', (f) => (f.paths = null), 'REQUEST_MALFORMED'],
  ['version 1', (f) => (f.version = 1), 'REQUEST_VERSION'],
  ['version 3', (f) => (f.version = 3), 'REQUEST_VERSION'],
  [
    'the old format of the P-Chain',
    (f) => (f.format = 'avmkit-p-chain-signing-request'),
    'REQUEST_MALFORMED',
  ],
  ['no chain', (f) => (f.chain = undefined), 'REQUEST_MALFORMED'],
  ['an unknown chain', (f) => (f.chain = 'D'), 'REQUEST_MALFORMED'],
  ['a chain in lower case', (f) => (f.chain = 'p'), 'REQUEST_MALFORMED'],
  ['no change', (f) => (f.change = undefined), 'REQUEST_MALFORMED'],
  ['a huge network ID', (f) => (f.network.networkID = 1e308), 'REQUEST_NETWORK'],
  ['a text as network ID', (f) => (f.network.networkID = '12345'), 'REQUEST_NETWORK'],
  ['an unknown member of the network', (f) => (f.network.fee = 1), 'UNKNOWN_OPTION'],
  ['no signerSets', (f) => (f.signerSets = []), 'REQUEST_SIGNER_SETS'],
  [
    'an unknown member of a signerSet',
    (f) => Object.assign(f.signerSets[0]!, { fee: 1 }),
    'UNKNOWN_OPTION',
  ],
  ['a number as proof', (f) => (f.proofs = [7]), 'REQUEST_MALFORMED'],
  ['a malformed path', (f) => (f.paths = [{ address: f.id, path: 'm' }]), 'REQUEST_MALFORMED'],
]

/** Changes after which the file still agrees with the schema, but contradicts itself or its network. */
export const falseStatements: readonly FileChange[] = [
  [
    'change that no output has',
    (f) => (f.change = [{ assetID: f.network.assetID, amount: '5' }]),
    'REQUEST_MALFORMED',
  ],
  ['another ID', (f) => (f.id = f.network.chainID), 'REQUEST_ID'],
  ['a transaction ID without signatures', (f) => (f.txID = f.id), 'REQUEST_TX_ID'],
  ['another network ID', (f) => (f.network.networkID = 5), 'REQUEST_NETWORK'],
  ['another X-Chain', (f) => (f.network.chainID = f.network.assetID), 'REQUEST_NETWORK'],
  ['another native asset', (f) => (f.network.assetID = f.network.chainID), 'REQUEST_NETWORK'],
  ['a signerSet twice', (f) => f.signerSets.push(f.signerSets[0]!), 'REQUEST_SIGNER_SETS'],
  ['a UTXO too many', (f) => f.utxos.push(someUTXO), 'UTXO_MISMATCH'],
  ['a proof of nothing', (f) => f.proofs!.push(someUTXO), 'REQUEST_PROOF'],
]

/** Further false statements, in files with UTXOs: those of C-Chain exports name no UTXOs and no addresses. */
export const falseStatementsOnUTXOs: readonly FileChange[] = [
  [
    'a path of an address that does not occur',
    (f) => {
      const [stranger] = keysOf(4).addresses
      const address = formatAddress({ chain: f.chain!, hrp: context.hrp, address: stranger! })
      f.paths = [{ address, path: "m/44'/9000'/0'/0/0" }]
    },
    'REQUEST_MALFORMED',
  ],
  ['a UTXO too few', (f) => f.utxos.pop(), 'UTXO_UNKNOWN'],
  [
    'a proof of another UTXO',
    (f) => {
      const other = signDraft(exportFromC(keysOf(5).addresses[0]!), alice)
      f.proofs = [checkedHex.encode(requireSigned(other).bytes)]
    },
    'REQUEST_PROOF',
  ],
  [
    'a signature of another key',
    (f) => {
      const thief = keysOf(5)
      const signature = thief.sign(thief.addresses[0]!, new Uint8Array(32))
      const signer = formatAddress({
        chain: f.chain!,
        hrp: context.hrp,
        address: alice.addresses[0]!,
      })
      f.signerSets[0]!.signatures.push({ address: signer, signature: checkedHex.encode(signature) })
    },
    'WRONG_SIGNER',
  ],
]
