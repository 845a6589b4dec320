import * as cChain from '../../src/c-chain/index.ts'
import * as pChain from '../../src/p-chain/index.ts'
import { keysOf, owners, paying } from '../sign/fixtures.ts'
import { NOW } from '../sign/verdicts.ts'
import {
  AVAX,
  accountOf,
  alice,
  BASE_FEE,
  context,
  exportFromC,
  exportOfVault,
  importToP,
} from './fixtures.ts'

const thief = keysOf(5)

/** An export of the vault with its proof. */
function vaultExport(output?: pChain.POutputArgument): pChain.SigningRequest {
  const { draft, parent } = exportOfVault(output)
  return pChain.createRequest(draft, { parents: [parent] })
}

/** The import of Alice, in which the attacker has replaced parts of the output. */
function changedImport(change: object = {}): pChain.SigningRequest {
  const { draft, parent } = importToP()
  const tx = draft.unsignedTx as pChain.ImportTx
  const [first] = tx.outputs
  const output = { ...first!.output, ...change } as pChain.Output
  const outputs = [{ ...first!, output }]
  return pChain.createRequest({ ...draft, unsignedTx: { ...tx, outputs } }, { parents: [parent] })
}

const lockedForStaking = () => {
  const { outputs } = importToP().draft.unsignedTx as pChain.ImportTx
  return { type: 'stakeable.LockOut', locktime: NOW + 9n, output: outputs[0]!.output }
}

/** An import to an account of the C-Chain, of a UTXO that nothing proves. */
function unprovenImport(to: Uint8Array): cChain.SigningRequest {
  const utxo = {
    txID: new Uint8Array(32).fill(9),
    outputIndex: 0,
    assetID: context.assetID,
    output: paying(AVAX, owners(1, 0)),
  }
  const draft = cChain.buildImport({
    context,
    sourceChain: 'P',
    funds: { utxos: [utxo], owners: alice.addresses, now: NOW },
    baseFee: BASE_FEE,
    to,
  })
  return cChain.createRequest(draft)
}

/**
 * Honest and misleading requests, the position of the reader among the people, and the codes of all warnings, dangers
 * with an exclamation mark.
 */
export const cases: readonly (
  | readonly [name: string, chain: 'P', () => pChain.SigningRequest, reader: number, string[]]
  | readonly [name: string, chain: 'C', () => cChain.SigningRequest, reader: number, string[]]
)[] = [
  ['an export of a vault to itself', 'P', () => vaultExport(), 0, []],
  [
    'an export of a vault to a thief',
    'P',
    () => vaultExport({ to: thief.addresses[0]!, amount: AVAX }),
    1,
    ['NOT_OURS'],
  ],
  [
    'an export of a vault to a thief and one of its owners',
    'P',
    () => vaultExport({ to: owners(1, 0, 5).addresses, threshold: 1, amount: AVAX }),
    1,
    ['NOT_OURS'],
  ],
  [
    'an export of a vault to one of its owners together with a thief',
    'P',
    () => vaultExport({ to: owners(2, 0, 5).addresses, threshold: 2, amount: AVAX }),
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
  ['an honest import', 'P', () => changedImport(), 0, []],
  [
    'an import that a thief must sign for, too',
    'P',
    () => changedImport(owners(2, 0, 5)),
    0,
    ['SHARED_OUTPUT!'],
  ],
  [
    'an import that anyone can spend',
    'P',
    () => changedImport({ addresses: [], threshold: 0 }),
    0,
    ['OPEN_OUTPUT!'],
  ],
  [
    'an import that is locked',
    'P',
    () => changedImport({ locktime: NOW + 1n }),
    0,
    ['LOCKED_RETURN!'],
  ],
  ['an import whose lock has ended', 'P', () => changedImport({ locktime: NOW - 1n }), 0, []],
  [
    'an import that is locked for staking',
    'P',
    () => changedImport(lockedForStaking()),
    0,
    ['LOCKED_RETURN!'],
  ],
  ['an import that is burned', 'P', () => changedImport({ amount: 1n }), 0, ['HIGH_FEE!']],
  ['an export of an account to its owner', 'C', () => cChain.createRequest(exportFromC()), 0, []],
  [
    'an export to the bytes of an account, which nobody can spend',
    'C',
    () => cChain.createRequest(exportFromC(accountOf(alice))),
    0,
    ['NOT_OURS'],
  ],
  [
    'an unproven import to the own account',
    'C',
    () => unprovenImport(accountOf(alice)),
    0,
    ['UNPROVEN_UTXO!'],
  ],
  [
    'an unproven import to the account of a thief',
    'C',
    () => unprovenImport(accountOf(thief)),
    0,
    ['UNPROVEN_UTXO!', 'NOT_OURS'],
  ],
]
