import { formatAddress, parseAddress } from '../../base/encoding/address.ts'
import { formatUTXOID } from '../../base/encoding/ids.ts'
import { evmAddressBytes, formatEVMAddress, parseEVMAddress } from '../../chain/c/evm-address.ts'
import {
  decodeUnsignedTx,
  encodeUnsignedTx,
  type UnsignedTx,
  unsignedTx,
} from '../../chain/c/tx.ts'
import { verifyTx } from '../../chain/c/verify.ts'
import { decodeUTXO, encodeUTXO, type UTXO, utxo } from '../../chain/x/utxo.ts'
import { addressOf } from '../../crypto/secp256k1.ts'
import type { AtomicRequest, RequestChain } from '../atomic/request-chain.ts'
import { type AtomicRequests, atomicRequests } from '../atomic/requests.ts'
import { SignError } from '../errors.ts'
import type { PickSigners } from '../signer-sets.ts'
import { detailsOf } from './explain.ts'
import { signableOf } from './sign.ts'

/** A signing request of the C-Chain. */
export type SigningRequest = AtomicRequest<UnsignedTx, UTXO>

const chain: RequestChain<UnsignedTx, UTXO> = {
  alias: 'C',
  codecs: { unsignedTx, utxo, withoutSigners: (tx) => withSigners(tx, () => []) },
  encodeUnsignedTx,
  decodeUnsignedTx,
  encodeUTXO,
  decodeUTXO,
  signable: signableOf,
  verify: (unsignedTx, context) =>
    verifyTx({ unsignedTx, credentials: [] }, context, { helicon: true }),
  withSigners,
  outputOf: (utxo) => {
    if (utxo.output.type === 'secp256k1fx.TransferOutput') return utxo.output
    throw new SignError('UTXO_MISMATCH', `the C-Chain cannot import ${formatUTXOID(utxo)}`)
  },
  spent: (tx) => (tx.type === 'ImportTx' ? tx.importedInputs : []),
  sources: (tx) => ({ local: 0, ...(tx.type === 'ImportTx' && { sourceChain: tx.sourceChain }) }),
  // The C-Chain holds balances in accounts: its transactions create no UTXOs on it.
  createdBy: () => undefined,
  detailsOf,
  signerOf: ({ type }) => (type === 'ExportTx' ? evmAddressBytes : addressOf),
  accountOf: evmAddressBytes,
  formatSigner: ({ type }, address, { hrp }) =>
    type === 'ExportTx' ? formatEVMAddress(address) : formatAddress({ chain: 'C', hrp, address }),
  parseSigner: ({ type }, text, { hrp }) =>
    type === 'ExportTx' ? parseEVMAddress(text) : parseAddress(text, { chain: 'C', hrp }).address,
}

function withSigners(tx: UnsignedTx, pick: PickSigners): UnsignedTx {
  if (tx.type === 'ExportTx') return tx
  const importedInputs = tx.importedInputs.map((each, i) => ({
    ...each,
    input: { ...each.input, signatureIndices: pick(i) },
  }))
  return { ...tx, importedInputs }
}

type Requests = AtomicRequests<UnsignedTx, UTXO>

const requests: Requests = /* @__PURE__ */ atomicRequests(chain)

/** Collects the transactions that prove a draft of the C-Chain from a node, which need not be trusted. */
export const collectProofs: Requests['collectProofs'] = requests.collectProofs

/** Creates a signing request from a draft of the C-Chain. */
export const createRequest: Requests['createRequest'] = requests.createRequest

/** Formats a signing request of the C-Chain as JSON. */
export const formatRequest: Requests['formatRequest'] = requests.formatRequest

/** Parses a signing request of the C-Chain and verifies all of it. */
export const parseRequest: Requests['parseRequest'] = requests.parseRequest

/** Explains a signing request of the C-Chain without trusting its author. */
export const explainRequest: Requests['explainRequest'] = requests.explainRequest

/** Signs a request of the C-Chain with keys in memory, unless it has dangers that are not accepted. */
export const signRequest: Requests['signRequest'] = requests.signRequest

/** Signs a request of the C-Chain with external signers, unless it has dangers that are not accepted. */
export const signRequestWith: Requests['signRequestWith'] = requests.signRequestWith

/** Adds an external signature to a request of the C-Chain. */
export const addSignature: Requests['addSignature'] = requests.addSignature

/** Merges the signatures of several copies of a request of the C-Chain. */
export const mergeRequests: Requests['mergeRequests'] = requests.mergeRequests

/** The signers and missing signatures of each signer set of a request of the C-Chain. */
export const requestStatus: Requests['requestStatus'] = requests.requestStatus

/** The ID of a request of the C-Chain: the same for all its copies. */
export const requestID: Requests['requestID'] = requests.requestID

/** The signed transaction of a complete request of the C-Chain. */
export const finishRequest: Requests['finishRequest'] = requests.finishRequest

/** Verifies every signature of a transaction of the C-Chain. */
export const verifySignatures: Requests['verifySignatures'] = requests.verifySignatures
