import { equalBytes } from '../../base/bytes/compare.ts'
import { formatID } from '../../base/encoding/ids.ts'
import { VerifyError } from '../../base/errors.ts'
import { AssetSums } from '../../chain/amounts.ts'
import { P_CHAIN_ID } from '../../chain/networks.ts'
import { DEFAULT_GAS_WEIGHTS, feeOf, signedSize } from '../../chain/p/gas.ts'
import { DEFAULT_PRICE_CONFIG } from '../../chain/p/price.ts'
import {
  stakeableLocktime,
  type TransferableInput,
  type TransferableOutput,
  unlockedInput,
  unlockedOutput,
} from '../../chain/p/transferables.ts'
import {
  decodeTx,
  decodeUnsignedTx,
  encodeUnsignedTx,
  inputsOf,
  outputsOf,
  signedTx,
  type UnsignedTx,
} from '../../chain/p/tx.ts'
import { decodeUTXO, encodeUTXO, utxo } from '../../chain/p/utxo.ts'
import { verifyUnsigned } from '../../chain/p/verify.ts'
import { MAX_TX_SIZE } from '../../chain/x/size.ts'
import { copyOf, copyOfList } from '../../codec/codec.ts'
import { type Chain, indexed, type NewOutput, type PickSigners, type Spend } from '../chain.ts'

/** The P-Chain: fees by gas, and stakeable locks. */
export const pChain: Chain<'P'> = {
  alias: 'P',
  idIn: () => P_CHAIN_ID,
  prefixIn: () => 'P',
  encodeUnsignedTx,
  decodeUnsignedTx,
  copyTx: (tx) => copyOf(signedTx, tx),
  copyUTXOs: (utxos) => copyOfList(utxo, utxos, 'utxos'),
  encodeUTXO,
  decodeUTXO,
  spends: (tx) => {
    const imported = tx.type === 'ImportTx' ? tx.importedInputs : []
    return [...tx.inputs.map(spendIn('inputs')), ...imported.map(spendIn('importedInputs'))]
  },
  outputs: (tx) => outputsOf(tx).map((output, i) => newOutput(output, i, tx.outputs.length)),
  outputOf: ({ output }) => ({
    output: unlockedOutput(output),
    stakeableLocktime: stakeableLocktime(output),
  }),
  withSigners,
  verify: (tx, context) => {
    verifyUnsigned(tx, context)
    refuseDeficit(tx)
  },
  created: (bytes, _id, { networkID }) => {
    const tx = decodeTx(bytes).unsignedTx
    const isOfChain = tx.networkID === networkID && equalBytes(tx.blockchainID, P_CHAIN_ID)
    return isOfChain ? indexed(tx.outputs) : undefined
  },
  signedSize,
  maxSize: MAX_TX_SIZE,
  // The chain charges all that is burned.
  feeOf: (_tx, _network, burned) => burned,
  expectedFee: (tx, _network, price = DEFAULT_PRICE_CONFIG.minPrice) => {
    const fee = feeOf(tx, { weights: DEFAULT_GAS_WEIGHTS, price })
    return { fee, limit: 2n * fee }
  },
}

function spendIn(list: Spend['list']) {
  return ({ input, ...id }: TransferableInput, index: number): Spend => {
    const unlocked = unlockedInput(input)
    return {
      list,
      index,
      assetID: id.assetID,
      utxoIDs: [id],
      signers: unlocked,
      amount: unlocked.amount,
      operation: undefined,
      stakeableLocktime: input.type === 'stakeable.LockIn' ? input.locktime : undefined,
    }
  }
}

function newOutput(
  { assetID, output }: TransferableOutput,
  outputIndex: number,
  exportedFrom: number,
): NewOutput {
  return {
    outputIndex,
    assetID,
    output: unlockedOutput(output),
    type: output.type,
    stakeableLocktime: stakeableLocktime(output),
    source: outputIndex < exportedFrom ? 'outputs' : 'exportedOutputs',
  }
}

function withSigners(tx: UnsignedTx, pick: PickSigners): UnsignedTx {
  const withIndices = (offset: number) => (each: TransferableInput, i: number) => {
    const { input } = each
    const signatureIndices = pick(offset + i)
    return {
      ...each,
      input:
        input.type === 'stakeable.LockIn'
          ? { ...input, input: { ...input.input, signatureIndices } }
          : { ...input, signatureIndices },
    }
  }
  const inputs = tx.inputs.map(withIndices(0))
  if (tx.type !== 'ImportTx') return { ...tx, inputs }
  return { ...tx, inputs, importedInputs: tx.importedInputs.map(withIndices(inputs.length)) }
}

/**
 * Refuses a transaction that creates more than it spends: the stateless rules of the P-Chain do not compare sums.
 *
 * @throws VerifyError `INSUFFICIENT_FUNDS`
 */
function refuseDeficit(tx: UnsignedTx): void {
  const sums = new AssetSums()
  for (const { assetID, input } of inputsOf(tx)) sums.add(assetID, unlockedInput(input).amount)
  for (const { assetID, output } of outputsOf(tx)) sums.add(assetID, -unlockedOutput(output).amount)
  const deficit = sums.list().find(({ amount }) => amount < 0n)
  if (deficit === undefined) return
  throw new VerifyError(
    'INSUFFICIENT_FUNDS',
    `insufficient funds: needs ${-deficit.amount} more of ${formatID(deficit.assetID)}`,
  )
}
