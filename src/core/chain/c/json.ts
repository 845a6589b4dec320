import { argument } from '../../base/argument.ts'
import { cb58 } from '../../base/encoding/cb58.ts'
import { type AddressText, type Json, toJSON } from '../../codec/json.ts'
import { type AddressPrefix, addressPrefix } from '../p/json.ts'
import { prefixedAddresses } from '../x/json.ts'
import { transferableInput, transferableOutput } from '../x/transferables.ts'
import { formatEVMAddress } from './evm-address.ts'
import { txID } from './ids.ts'
import {
  credential,
  type EVMInput,
  type EVMOutput,
  encodeTx,
  type SignedTx,
  type UnsignedTx,
} from './tx.ts'

/**
 * The JSON of an atomic transaction. The node's API returns these transactions only as bytes, so the format is our own,
 * with the member names of the node. Owners are `C-…` addresses, accounts are checksummed `0x…` addresses.
 *
 * @example
 * stringifyJSON(cChain.txToJSON(tx, networks.fuji))
 */
export function txToJSON(tx: SignedTx, context: AddressPrefix): Json {
  const { hrp } = argument('txToJSON', context, addressPrefix, 'context')
  // Encoding checks every field.
  const id = txID(encodeTx(tx))
  const addresses = prefixedAddresses({ hrp, chainAlias: 'C' })
  return {
    unsignedTx: unsignedJSON(tx.unsignedTx, addresses),
    credentials: tx.credentials.map((each) => toJSON(credential, each, addresses)),
    id: cb58.encode(id),
  }
}

function unsignedJSON(tx: UnsignedTx, addresses: AddressText): Json {
  const { type, networkID } = tx
  const blockchainID = cb58.encode(tx.blockchainID)
  if (tx.type === 'ImportTx')
    return {
      type,
      networkID,
      blockchainID,
      sourceChain: cb58.encode(tx.sourceChain),
      importedInputs: tx.importedInputs.map((input) => toJSON(transferableInput, input, addresses)),
      outputs: tx.outputs.map(accountJSON),
    }
  return {
    type,
    networkID,
    blockchainID,
    destinationChain: cb58.encode(tx.destinationChain),
    inputs: tx.inputs.map((input) => ({ ...accountJSON(input), nonce: input.nonce })),
    exportedOutputs: tx.exportedOutputs.map((output) =>
      toJSON(transferableOutput, output, addresses),
    ),
  }
}

function accountJSON({ address, amount, assetID }: EVMOutput | EVMInput): {
  readonly [key: string]: Json
} {
  return { address: formatEVMAddress(address), amount, assetID: cb58.encode(assetID) }
}
