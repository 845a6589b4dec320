import * as cChain from '../../../../src/core/c-chain.ts'
import { P_CHAIN_ID } from '../../../../src/core/chain/networks.ts'
import type { OutputOwners } from '../../../../src/core/chain/owners.ts'
import { compareInputs } from '../../../../src/core/chain/x/order.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import { createRequest, type SigningRequest } from '../../../../src/index.ts'
import {
  AVAX,
  accountOf,
  alice,
  BASE_FEE,
  context,
  exportFromC,
  exportOfVault,
  importToC,
  importToP,
} from '../chains/fixtures.ts'
import { keysOf, owners, paying } from '../fixtures.ts'
import { NOW } from '../verdicts.ts'

const thief = keysOf(5)

/** An export of the vault with its proof. */
function vaultExport(output?: pChain.POutputArgument): SigningRequest<'P'> {
  const { draft, parent } = exportOfVault(output)
  return createRequest(draft, { parents: [parent] })
}

/** The import of Alice, in which the attacker has replaced parts of the output. */
function changedImport(change: object = {}): SigningRequest<'P'> {
  const { draft, parent } = importToP()
  const tx = draft.unsignedTx as pChain.ImportTx
  const [first] = tx.outputs
  const output = { ...first!.output, ...change } as pChain.Output
  const outputs = [{ ...first!, output }]
  return createRequest({ ...draft, unsignedTx: { ...tx, outputs } }, { parents: [parent] })
}

const lockedForStaking = () => {
  const { outputs } = importToP().draft.unsignedTx as pChain.ImportTx
  return { type: 'stakeable.LockOut', locktime: NOW + 9n, output: outputs[0]!.output }
}

/** An import to an account of the C-Chain, of a UTXO that nothing proves. */
function unprovenImport(to: Uint8Array): SigningRequest<'C'> {
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
  return createRequest(draft)
}

/** A signed transaction of the P-Chain that creates outputs, and what they are as UTXOs. */
function created(...outputs: pChain.Output[]): { bytes: Uint8Array; utxos: pChain.UTXO[] } {
  const tx: pChain.SignedTx = {
    unsignedTx: {
      type: 'BaseTx',
      networkID: context.networkID,
      blockchainID: P_CHAIN_ID,
      outputs: outputs.map((output) => ({ assetID: context.assetID, output })),
      inputs: [],
      memo: new Uint8Array(0),
    },
    credentials: [],
  }
  return { bytes: pChain.encodeTx(tx), utxos: pChain.createdUTXOs(tx) }
}

/** A request that spends proven outputs and creates others; on the X-Chain if it is an export. */
export function transfer(
  spent: readonly pChain.Output[],
  made: readonly pChain.Output[],
  {
    isExport = false,
    networkID = context.networkID,
  }: { readonly isExport?: boolean; readonly networkID?: number } = {},
): SigningRequest<'P'> {
  const parents = spent.map((output) => created(output))
  const utxos = parents.flatMap((parent) => parent.utxos).sort(compareInputs)
  const inputs = utxos.map(({ txID, outputIndex, assetID, output }): pChain.TransferableInput => {
    const { amount, threshold } = output.type === 'stakeable.LockOut' ? output.output : output
    const signatureIndices = Array.from({ length: threshold }, (_, i) => i)
    const input = { type: 'secp256k1fx.TransferInput', amount, signatureIndices } as const
    return {
      txID,
      outputIndex,
      assetID,
      input:
        output.type === 'stakeable.LockOut'
          ? { type: 'stakeable.LockIn', locktime: output.locktime, input }
          : input,
    }
  })
  const outputs = made.map((output) => ({ assetID: context.assetID, output }))
  const base = { networkID, blockchainID: P_CHAIN_ID, inputs, memo: new Uint8Array(0) }
  const unsignedTx: pChain.UnsignedTx = isExport
    ? {
        ...base,
        type: 'ExportTx',
        outputs: [],
        destinationChain: context.chainID,
        exportedOutputs: outputs,
      }
    : { ...base, type: 'BaseTx', outputs }
  const proofs = parents.map(({ bytes }) => bytes)
  return {
    chain: 'P',
    context,
    utxos,
    change: [],
    paths: [],
    proofs,
    signerSets: [{ unsignedTx, signatures: [] }],
  }
}

/** The proven import on C, which credits an account with an AVAX less a fee. */
function importOnC(
  to: Uint8Array,
  { of = owners(1, 0), fee = C_FEE }: { readonly of?: OutputOwners; readonly fee?: bigint } = {},
): SigningRequest<'C'> {
  const { draft, parent } = importToC(of, to)
  const tx = draft.unsignedTx as cChain.ImportTx
  const outputs = tx.outputs.map((output) => ({ ...output, amount: AVAX - fee }))
  return createRequest({ ...draft, unsignedTx: { ...tx, outputs } }, { parents: [parent] })
}

/** The export of an account, which is debited by an AVAX and a fee. */
function exportOnC(fee: bigint): SigningRequest<'C'> {
  const draft = exportFromC()
  const tx = draft.unsignedTx as cChain.ExportTx
  const inputs = tx.inputs.map((input) => ({ ...input, amount: AVAX + fee }))
  return createRequest({ ...draft, unsignedTx: { ...tx, inputs } })
}

/** Owners whose only address is 20 equal bytes. */
const equalBytesOf = (byte: number): OutputOwners => ({
  locktime: 0n,
  threshold: 1,
  addresses: [new Uint8Array(20).fill(byte)],
})

/** What an import of one UTXO with one signature and one output costs on P at 1 nAVAX per unit of gas: 4,135 units. */
const P_FEE = 4_135n
/** What an import or export with one signature costs on C at 25 nAVAX per unit of gas: 11,230 units. */
const C_FEE = 280_750n
const DUST = 1n
const FEE = 5_000n
const locked = (amount: bigint, ...people: number[]): pChain.Output => ({
  type: 'stakeable.LockOut',
  locktime: NOW + 9n,
  output: paying(amount, owners(1, ...people)),
})

/**
 * Honest and misleading requests, the position of the reader among the people, the codes of all warnings, dangers
 * with an exclamation mark, and what others get if it is not obvious from the warnings.
 */
export const cases: readonly (
  | readonly ['P', name: string, () => SigningRequest<'P'>, reader: number, string[], paid?: bigint]
  | readonly ['C', name: string, () => SigningRequest<'C'>, reader: number, string[], paid?: bigint]
)[] = [
  [
    'P',
    'a transfer to a thief, who adds dust',
    () =>
      transfer(
        [paying(AVAX, owners(1, 0)), paying(DUST, owners(1, 5))],
        [paying(AVAX + DUST - FEE, owners(1, 5))],
      ),
    0,
    [],
    AVAX + DUST - FEE,
  ],
  [
    'P',
    'an export to a thief, who adds dust',
    () =>
      transfer(
        [paying(AVAX, owners(1, 0)), paying(DUST, owners(1, 5))],
        [paying(AVAX + DUST - FEE, owners(1, 5))],
        { isExport: true },
      ),
    0,
    ['NOT_OURS'],
    AVAX + DUST - FEE,
  ],
  [
    'P',
    'a transfer to a vault of the reader that gains what the reader alone has spent',
    () =>
      transfer(
        [paying(AVAX, owners(1, 0)), paying(DUST, owners(2, 0, 5))],
        [paying(AVAX + DUST - FEE, owners(2, 0, 5))],
      ),
    0,
    ['SHARED_OUTPUT!'],
    AVAX + DUST - FEE,
  ],
  [
    'P',
    'a transfer of a vault to itself',
    () => transfer([paying(AVAX, owners(2, 0, 5))], [paying(AVAX - FEE, owners(2, 0, 5))]),
    0,
    [],
    0n,
  ],
  [
    'P',
    'a transfer of a vault of one to the reader alone',
    () => transfer([paying(AVAX, owners(2, 0, 5))], [paying(AVAX - FEE, owners(1, 0))]),
    0,
    ['WEAKER_CHANGE!'],
    0n,
  ],
  [
    'P',
    'a transfer to the reader or a thief',
    () => transfer([paying(AVAX, owners(1, 0))], [paying(AVAX - FEE, owners(1, 0, 5))]),
    0,
    ['SHARED_OUTPUT!'],
    AVAX - FEE,
  ],
  [
    'P',
    'a transfer that locks for staking what was free, beside locked dust of a thief',
    () =>
      transfer(
        [paying(AVAX, owners(1, 0)), locked(DUST, 5)],
        [locked(DUST, 5), locked(AVAX - FEE, 0)],
      ),
    0,
    ['LOCKED_OUTPUT', 'LOCKED_RETURN!'],
    DUST,
  ],
  [
    'P',
    'a transfer that locks more for staking than was locked',
    () => transfer([paying(AVAX, owners(1, 0)), locked(DUST, 0)], [locked(AVAX + DUST - FEE, 0)]),
    0,
    ['LOCKED_RETURN!'],
    0n,
  ],
  [
    'P',
    'a transfer that keeps locked what was locked',
    () =>
      transfer(
        [paying(AVAX, owners(1, 0)), locked(AVAX, 0)],
        [paying(AVAX - FEE, owners(1, 0)), locked(AVAX, 0)],
      ),
    0,
    ['LOCKED_OUTPUT'],
    0n,
  ],
  ['P', 'an export of a vault to itself', () => vaultExport(), 0, []],
  [
    'P',
    'an export of a vault to a thief',
    () => vaultExport({ to: thief.addresses[0]!, amount: AVAX }),
    1,
    ['NOT_OURS'],
  ],
  [
    'P',
    'an export of a vault to a thief and one of its owners',
    () => vaultExport({ to: owners(1, 0, 5).addresses, threshold: 1, amount: AVAX }),
    1,
    ['NOT_OURS'],
  ],
  [
    'P',
    'an export of a vault to one of its owners together with a thief',
    () => vaultExport({ to: owners(2, 0, 5).addresses, threshold: 2, amount: AVAX }),
    0,
    ['SHARED_OUTPUT!'],
  ],
  [
    'P',
    'an export of a UTXO that nothing proves',
    () => createRequest(exportOfVault().draft),
    0,
    ['UNPROVEN_UTXO!', 'FOREIGN_CHANGE!', 'SHARED_OUTPUT!'],
  ],
  ['P', 'an honest import', () => changedImport(), 0, []],
  [
    'P',
    'an import that a thief must sign for, too',
    () => changedImport(owners(2, 0, 5)),
    0,
    ['SHARED_OUTPUT!'],
  ],
  [
    'P',
    'an import that anyone can spend',
    () => changedImport({ addresses: [], threshold: 0 }),
    0,
    ['OPEN_OUTPUT!'],
  ],
  [
    'P',
    'an import that is locked',
    () => changedImport({ locktime: NOW + 1n }),
    0,
    ['LOCKED_RETURN!'],
  ],
  ['P', 'an import whose lock has ended', () => changedImport({ locktime: NOW - 1n }), 0, []],
  [
    'P',
    'an import that is locked for staking',
    () => changedImport(lockedForStaking()),
    0,
    ['LOCKED_RETURN!'],
  ],
  [
    'P',
    'an import that is burned',
    () => changedImport({ amount: 1n }),
    0,
    ['HIGH_FEE!', 'FEE_ABOVE_KNOWN'],
  ],
  ['C', 'an export of an account to its owner', () => createRequest(exportFromC()), 0, []],
  [
    'C',
    'an export to the bytes of an account, which nobody can spend',
    () => createRequest(exportFromC(accountOf(alice))),
    0,
    ['NOT_OURS'],
  ],
  [
    'C',
    'an unproven import to the own account',
    () => unprovenImport(accountOf(alice)),
    0,
    ['UNPROVEN_UTXO!'],
  ],
  [
    'C',
    'an unproven import to the account of a thief',
    () => unprovenImport(accountOf(thief)),
    0,
    ['UNPROVEN_UTXO!', 'NOT_OURS'],
  ],
  [
    'P',
    'an export of a vault to one of its owners alone',
    () => vaultExport({ to: alice.addresses[0]!, amount: AVAX }),
    0,
    ['WEAKER_CHANGE!'],
    0n,
  ],
  [
    'P',
    'a transfer to the zero address',
    () => transfer([paying(AVAX, owners(1, 0))], [paying(AVAX - FEE, equalBytesOf(0))]),
    0,
    ['DEAD_ADDRESS!'],
    AVAX - FEE,
  ],
  [
    'P',
    'an export to an address of 20 equal bytes',
    () =>
      transfer([paying(AVAX, owners(1, 0))], [paying(AVAX - FEE, equalBytesOf(0xff))], {
        isExport: true,
      }),
    0,
    ['DEAD_ADDRESS!', 'NOT_OURS'],
    AVAX - FEE,
  ],
  [
    'P',
    'a fee of twice what the gas costs',
    () => changedImport({ amount: AVAX - 2n * P_FEE }),
    0,
    [],
  ],
  [
    'P',
    'a fee above twice what the gas costs',
    () => changedImport({ amount: AVAX - 2n * P_FEE - 1n }),
    0,
    ['FEE_ABOVE_KNOWN'],
  ],
  [
    'P',
    'a fee of ten times what the gas costs',
    () => changedImport({ amount: AVAX - 10n * P_FEE }),
    0,
    ['FEE_ABOVE_KNOWN'],
  ],
  [
    'P',
    'a fee above ten times what the gas costs',
    () => changedImport({ amount: AVAX - 10n * P_FEE - 1n }),
    0,
    ['HIGH_FEE!', 'FEE_ABOVE_KNOWN'],
  ],
  ['C', 'a proven import to the own account', () => importOnC(accountOf(alice)), 0, [], 0n],
  [
    'C',
    'an import of a vault to the account of one of its owners',
    () => importOnC(accountOf(alice), { of: owners(2, 0, 1), fee: 300_000n }),
    0,
    ['WEAKER_CHANGE!'],
    0n,
  ],
  [
    'C',
    'an import to the 20 bytes of the own address, which is not the account of its key',
    () => importOnC(alice.addresses[0]!),
    0,
    ['WRONG_ACCOUNT!', 'NOT_OURS'],
    AVAX - C_FEE,
  ],
  [
    'C',
    'an import to the zero address',
    () => importOnC(new Uint8Array(20)),
    0,
    ['DEAD_ADDRESS!', 'NOT_OURS'],
    AVAX - C_FEE,
  ],
  [
    'C',
    'an import to an account of 20 equal bytes',
    () => importOnC(new Uint8Array(20).fill(0xee)),
    0,
    ['DEAD_ADDRESS!', 'NOT_OURS'],
    AVAX - C_FEE,
  ],
  [
    'C',
    'an export to the zero address',
    () => createRequest(exportFromC(new Uint8Array(20))),
    0,
    ['DEAD_ADDRESS!', 'NOT_OURS'],
    AVAX,
  ],
  [
    'C',
    'an import with a fee of twice what the gas costs',
    () => importOnC(accountOf(alice), { fee: 2n * C_FEE }),
    0,
    [],
  ],
  [
    'C',
    'an import with a fee above twice what the gas costs',
    () => importOnC(accountOf(alice), { fee: 2n * C_FEE + 1n }),
    0,
    ['FEE_ABOVE_KNOWN'],
  ],
  [
    'C',
    'an import with a fee of ten times what the gas costs',
    () => importOnC(accountOf(alice), { fee: 10n * C_FEE }),
    0,
    ['FEE_ABOVE_KNOWN'],
  ],
  [
    'C',
    'an import with a fee above ten times what the gas costs',
    () => importOnC(accountOf(alice), { fee: 10n * C_FEE + 1n }),
    0,
    ['HIGH_FEE!', 'FEE_ABOVE_KNOWN'],
  ],
  ['C', 'an export with a fee of twice what the gas costs', () => exportOnC(2n * C_FEE), 0, []],
  [
    'C',
    'an export with a fee above twice what the gas costs',
    () => exportOnC(2n * C_FEE + 1n),
    0,
    ['FEE_ABOVE_KNOWN'],
  ],
  [
    'C',
    'an export with a fee of ten times what the gas costs',
    () => exportOnC(10n * C_FEE),
    0,
    ['FEE_ABOVE_KNOWN'],
  ],
  [
    'C',
    'an export with a fee above ten times what the gas costs',
    () => exportOnC(10n * C_FEE + 1n),
    0,
    ['HIGH_FEE!', 'FEE_ABOVE_KNOWN'],
  ],
]
