import * as cChain from '../../src/c-chain/index.ts'
import { networks } from '../../src/chain/index.ts'
import { KeyChain } from '../../src/crypto/index.ts'
import { checkedHex } from '../../src/encoding/index.ts'
import * as pChain from '../../src/p-chain/index.ts'
import { owners, people } from '../sign/fixtures.ts'
import { NOW } from '../sign/verdicts.ts'
import { AVAX, fees, fundedVault } from '../transfers/request-cases.ts'

// People 0 and 1 own a vault on the P-Chain of which both must sign. 5 attacks.

const context = networks.local
const BASE_FEE = 25_000_000_000n

export const keysOf = (person: number): KeyChain => new KeyChain([people[person]!.key])
const addressOf = (person: number) => people[person]!.address
export const accountOf = (person: number): Uint8Array =>
  cChain.evmAddressBytes(keysOf(person).publicKeys[0]!)

const vault = { to: owners(2, 0, 1).addresses, threshold: 2 }

/** An export of the vault from P to X; the change returns to the vault. */
export function exportOfVault(to: pChain.POutputArgument = { ...vault, amount: AVAX }): {
  readonly draft: pChain.Draft
  readonly parents: readonly Uint8Array[]
} {
  const { bytes, utxos } = fundedVault(keysOf(0), vault)
  const draft = pChain.buildExport({
    context,
    utxos,
    owners: vault.to,
    now: NOW,
    fees,
    destinationChain: 'X',
    outputs: [to],
    changeTo: vault,
  })
  return { draft, parents: [bytes] }
}

/** An export of person 0 from the C-Chain. */
export function exportFromC(to: Uint8Array = addressOf(0)): cChain.Draft {
  return cChain.buildExport({
    context,
    account: { address: accountOf(0), nonce: 3n },
    baseFee: BASE_FEE,
    destinationChain: 'P',
    outputs: [{ to, amount: AVAX }],
  })
}

/** An import of person 0 on the P-Chain, in which the attacker has replaced parts of the output. */
function importToP(change: object = {}): pChain.SigningRequest {
  const { bytes, signedTx } = cChain.requireSigned(cChain.signDraft(exportFromC(), keysOf(0)))
  const draft = pChain.buildImport({
    context,
    fees,
    utxos: cChain.exportedUTXOs(signedTx) as pChain.UTXO[],
    owners: [addressOf(0)],
    now: NOW,
    sourceChain: 'C',
    to: addressOf(0),
  })
  const tx = draft.unsignedTx as pChain.ImportTx
  const [first] = tx.outputs
  const output = { ...first!.output, ...change } as pChain.Output
  const outputs = [{ ...first!, output }]
  return pChain.createRequest({ ...draft, unsignedTx: { ...tx, outputs } }, { parents: [bytes] })
}

/** An import to an account of the C-Chain, of a UTXO that nothing proves. */
function importToC(to: Uint8Array): cChain.SigningRequest {
  const draft = cChain.buildImport({
    context,
    sourceChain: 'P',
    utxos: [
      {
        txID: new Uint8Array(32).fill(9),
        outputIndex: 0,
        assetID: context.assetID,
        output: { type: 'secp256k1fx.TransferOutput', amount: AVAX, ...owners(1, 0) },
      },
    ],
    owners: [addressOf(0)],
    now: NOW,
    baseFee: BASE_FEE,
    to,
  })
  return cChain.createRequest(draft)
}

const vaultRequest = (to?: pChain.POutputArgument) => {
  const { draft, parents } = exportOfVault(to)
  return pChain.createRequest(draft, { parents })
}

const lockedOut = () => {
  const { outputs } = importToP().variants[0]!.unsignedTx
  return { type: 'stakeable.LockOut', locktime: NOW + 9n, output: outputs[0]!.output }
}

/** Requests that mislead or not, who reads them, and the codes of all warnings; dangers with an exclamation mark. */
export const halfCases: readonly (
  | readonly [name: string, chain: 'P', () => pChain.SigningRequest, reader: number, string[]]
  | readonly [name: string, chain: 'C', () => cChain.SigningRequest, reader: number, string[]]
)[] = [
  ['an export of a vault to itself', 'P', () => vaultRequest(), 0, []],
  [
    'an export of a vault to a thief',
    'P',
    () => vaultRequest({ to: addressOf(5), amount: AVAX }),
    1,
    ['NOT_OURS'],
  ],
  [
    'an export of a vault to a thief and one of its owners',
    'P',
    () => vaultRequest({ to: owners(1, 0, 5).addresses, threshold: 1, amount: AVAX }),
    1,
    ['NOT_OURS'],
  ],
  [
    'an export of a vault to one of its owners together with a thief',
    'P',
    () => vaultRequest({ to: owners(2, 0, 5).addresses, threshold: 2, amount: AVAX }),
    0,
    ['SHARED_OUTPUT!'],
  ],
  [
    'an export of a UTXO that nothing proves',
    'P',
    () => pChain.createRequest(exportOfVault().draft),
    0,
    ['UNPROVEN_UTXO!', 'SHARED_OUTPUT!', 'SHARED_OUTPUT!'],
  ],
  ['an honest import', 'P', () => importToP(), 0, []],
  [
    'an import that anyone can spend',
    'P',
    () => importToP({ addresses: [], threshold: 0 }),
    0,
    ['OPEN_OUTPUT!'],
  ],
  ['an import that is locked', 'P', () => importToP({ locktime: NOW + 1n }), 0, ['LOCKED_RETURN!']],
  ['an import whose lock has ended', 'P', () => importToP({ locktime: NOW - 1n }), 0, []],
  [
    'an import that is locked for staking',
    'P',
    () => importToP(lockedOut()),
    0,
    ['LOCKED_RETURN!'],
  ],
  ['an import that is burned', 'P', () => importToP({ amount: 1n }), 0, ['HIGH_FEE!']],
  ['an export of an account to its owner', 'C', () => cChain.createRequest(exportFromC()), 0, []],
  [
    'an export to the bytes of an account, which nobody can spend',
    'C',
    () => cChain.createRequest(exportFromC(accountOf(0))),
    0,
    ['NOT_OURS'],
  ],
  [
    'an unproven import to the own account',
    'C',
    () => importToC(accountOf(0)),
    0,
    ['UNPROVEN_UTXO!'],
  ],
  [
    'an unproven import to the account of a thief',
    'C',
    () => importToC(accountOf(5)),
    0,
    ['UNPROVEN_UTXO!', 'NOT_OURS'],
  ],
]

type File = {
  format: string
  version: unknown
  id: string
  network: { networkID: number; assetID: string }
} & {
  [member: string]: unknown
  utxos: string[]
  proofs: string[]
  variants: { unsignedTx: string; signatures: object[] }[]
}

/** Files of the P-Chain that are rejected, and the codes. */
export const halfFiles: readonly (readonly [what: string, file: () => string, code: string])[] = (
  [
    [
      'the format of another chain',
      (f) => (f.format = f.format.replace('-p-', '-c-')),
      'REQUEST_MALFORMED',
    ],
    ['a later version', (f) => (f.version = 9), 'REQUEST_VERSION'],
    ['a member that is not known', (f) => (f.note = '<img src=x>'), 'REQUEST_MALFORMED'],
    ['another network', (f) => (f.network.networkID = 1), 'REQUEST_NETWORK'],
    ['another ID', (f) => (f.id = f.network.assetID), 'REQUEST_ID'],
    ['the same variant twice', (f) => f.variants.push(f.variants[0]!), 'REQUEST_VARIANTS'],
    ['no variant', (f) => (f.variants = []), 'REQUEST_VARIANTS'],
    ['a UTXO too few', (f) => f.utxos.pop(), 'UTXO_UNKNOWN'],
    [
      'a proof of something else',
      (f) => {
        const { bytes } = cChain.requireSigned(cChain.signDraft(exportFromC(), keysOf(0)))
        f.proofs = [checkedHex.encode(bytes)]
      },
      'REQUEST_PROOF',
    ],
    [
      'a signature of somebody else',
      (f) => {
        const signature = keysOf(5).sign(addressOf(5), new Uint8Array(32))
        const signer = 'P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'
        f.variants[0]!.signatures = [{ signer, signature: checkedHex.encode(signature) }]
      },
      'WRONG_SIGNER',
    ],
  ] as [string, (file: File) => unknown, string][]
).map(([what, change, code]) => [
  what,
  () => {
    const file = JSON.parse(pChain.formatRequest(vaultRequest())) as File
    change(file)
    return JSON.stringify(file)
  },
  code,
])
