import { evmAddressBytes, formatEVMAddress, parseEVMAddress } from '../../chain/c/evm-address.ts'
import { feeOf, MAX_TX_SIZE, REFERENCE_BASE_FEE, signedSize } from '../../chain/c/gas.ts'
import { decodeUnsignedTx, encodeUnsignedTx, signedTx, type UnsignedTx } from '../../chain/c/tx.ts'
import { verifyUnsigned } from '../../chain/c/verify.ts'
import { decodeUTXO, encodeUTXO, utxo } from '../../chain/x/utxo.ts'
import { copyOf, copyOfList } from '../../codec/codec.ts'
import type { Chain, NewOutput, PickSigners, Spend } from '../chain.ts'

/** The C-Chain: imports spend UTXOs and credit accounts, exports debit accounts. */
export const cChain: Chain<'C'> = {
  alias: 'C',
  idIn: ({ chains }) => chains.C,
  prefixIn: () => 'C',
  encodeUnsignedTx,
  decodeUnsignedTx,
  copyTx: (tx) => copyOf(signedTx, tx),
  copyUTXOs: (utxos) => copyOfList(utxo, utxos, 'utxos'),
  encodeUTXO,
  decodeUTXO,
  spends: spendsOf,
  outputs: outputsOf,
  outputOf: ({ output }) => ({ output, stakeableLocktime: 0n }),
  withSigners,
  verify: (tx, context) => verifyUnsigned(tx, context, true),
  // The C-Chain holds balances in accounts: its transactions create no UTXOs on it.
  created: () => undefined,
  signedSize,
  maxSize: MAX_TX_SIZE,
  // The chain charges all that is burned.
  feeOf: (_tx, _network, burned) => burned,
  expectedFee: (tx, _network, price = REFERENCE_BASE_FEE) => {
    const fee = feeOf(tx, price)
    return { fee, limit: 2n * fee }
  },
  accounts: { of: evmAddressBytes, format: formatEVMAddress, parse: parseEVMAddress },
}

/** Each account signs for itself: its credential has one signature. */
const ACCOUNT_SIGNERS = { signatureIndices: [0] } as const

function spendsOf(tx: UnsignedTx): Spend[] {
  if (tx.type === 'ImportTx')
    return tx.importedInputs.map(({ assetID, input, ...id }, index) => ({
      list: 'importedInputs',
      index,
      assetID,
      utxoIDs: [id],
      signers: input,
      amount: input.amount,
      operation: undefined,
    }))
  return tx.inputs.map(({ assetID, amount, ...account }, index) => ({
    list: 'inputs',
    index,
    assetID,
    utxoIDs: [],
    signers: ACCOUNT_SIGNERS,
    amount,
    operation: undefined,
    account,
  }))
}

function outputsOf(tx: UnsignedTx): NewOutput[] {
  const common = { stakeableLocktime: 0n } as const
  if (tx.type === 'ExportTx')
    return tx.exportedOutputs.map(({ assetID, output }, outputIndex) => ({
      ...common,
      outputIndex,
      assetID,
      output,
      type: output.type,
      source: 'exportedOutputs',
    }))
  return tx.outputs.map(({ address, amount, assetID }, outputIndex) => ({
    ...common,
    outputIndex,
    assetID,
    output: {
      type: 'secp256k1fx.TransferOutput',
      amount,
      locktime: 0n,
      threshold: 1,
      addresses: [address],
    },
    type: 'EVMOutput',
    source: 'outputs',
    isAccount: true,
  }))
}

function withSigners(tx: UnsignedTx, pick: PickSigners): UnsignedTx {
  if (tx.type === 'ExportTx') return tx
  const importedInputs = tx.importedInputs.map((each, i) => ({
    ...each,
    input: { ...each.input, signatureIndices: pick(i) },
  }))
  return { ...tx, importedInputs }
}
