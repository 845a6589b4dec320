import { equalBytes } from '../../base/bytes/compare.ts'
import { formatAddress, parseAddress } from '../../base/encoding/address.ts'
import { formatID } from '../../base/encoding/ids.ts'
import { VerifyError } from '../../base/errors.ts'
import { AssetSums } from '../../chain/amounts.ts'
import { P_CHAIN_ID } from '../../chain/networks.ts'
import { createdUTXOs } from '../../chain/p/ids.ts'
import {
  type TransferableInput,
  unlockedInput,
  unlockedOutput,
} from '../../chain/p/transferables.ts'
import {
  decodeTx,
  decodeUnsignedTx,
  encodeUnsignedTx,
  inputsOf,
  outputsOf,
  type UnsignedTx,
  unsignedTx,
} from '../../chain/p/tx.ts'
import { decodeUTXO, encodeUTXO, type UTXO, utxo } from '../../chain/p/utxo.ts'
import { verifyTx } from '../../chain/p/verify.ts'
import { addressOf } from '../../crypto/secp256k1.ts'
import type { AtomicRequest, RequestChain } from '../atomic/request-chain.ts'
import { type AtomicRequests, atomicRequests } from '../atomic/requests.ts'
import type { PickSigners } from '../signer-sets.ts'
import { detailsOf } from './explain.ts'
import { signableOf } from './sign.ts'

/** A signing request of the P-Chain. */
export type SigningRequest = AtomicRequest<UnsignedTx, UTXO>

const chain: RequestChain<UnsignedTx, UTXO> = {
  alias: 'P',
  codecs: { unsignedTx, utxo, withoutSigners: (tx) => withSigners(tx, () => []) },
  encodeUnsignedTx,
  decodeUnsignedTx,
  encodeUTXO,
  decodeUTXO,
  signable: signableOf,
  verify: (unsignedTx, context) => {
    verifyTx({ unsignedTx, credentials: [] }, context)
    refuseDeficit(unsignedTx)
  },
  withSigners,
  outputOf: ({ output }) => unlockedOutput(output),
  spent: inputsOf,
  sources: (tx) => ({
    local: tx.inputs.length,
    ...(tx.type === 'ImportTx' && { sourceChain: tx.sourceChain }),
  }),
  createdBy: (bytes, { networkID }) => {
    const tx = decodeTx(bytes)
    const { unsignedTx } = tx
    const isOfPChain =
      unsignedTx.networkID === networkID && equalBytes(unsignedTx.blockchainID, P_CHAIN_ID)
    return isOfPChain ? createdUTXOs(tx) : undefined
  },
  detailsOf,
  signerOf: () => addressOf,
  formatSigner: (_tx, address, { hrp }) => formatAddress({ chain: 'P', hrp, address }),
  parseSigner: (_tx, text, { hrp }) => parseAddress(text, { chain: 'P', hrp }).address,
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
  const { amount, assetID } = deficit
  throw new VerifyError(
    'INSUFFICIENT_FUNDS',
    `insufficient funds: needs ${-amount} more of ${formatID(assetID)}`,
  )
}

type Requests = AtomicRequests<UnsignedTx, UTXO>

const requests: Requests = /* @__PURE__ */ atomicRequests(chain)

/** Collects the transactions that prove a draft of the P-Chain from a node, which need not be trusted. */
export const collectProofs: Requests['collectProofs'] = requests.collectProofs

/** Creates a signing request from a draft of the P-Chain. */
export const createRequest: Requests['createRequest'] = requests.createRequest

/** Formats a signing request of the P-Chain as JSON. */
export const formatRequest: Requests['formatRequest'] = requests.formatRequest

/** Parses a signing request of the P-Chain and verifies all of it. */
export const parseRequest: Requests['parseRequest'] = requests.parseRequest

/** Explains a signing request of the P-Chain without trusting its author. */
export const explainRequest: Requests['explainRequest'] = requests.explainRequest

/** Signs a request of the P-Chain with keys in memory, unless it has dangers that are not accepted. */
export const signRequest: Requests['signRequest'] = requests.signRequest

/** Signs a request of the P-Chain with external signers, unless it has dangers that are not accepted. */
export const signRequestWith: Requests['signRequestWith'] = requests.signRequestWith

/** Adds an external signature to a request of the P-Chain. */
export const addSignature: Requests['addSignature'] = requests.addSignature

/** Merges the signatures of several copies of a request of the P-Chain. */
export const mergeRequests: Requests['mergeRequests'] = requests.mergeRequests

/** The signers and missing signatures of each signer set of a request of the P-Chain. */
export const requestStatus: Requests['requestStatus'] = requests.requestStatus

/** The ID of a request of the P-Chain: the same for all its copies. */
export const requestID: Requests['requestID'] = requests.requestID

/** The signed transaction of a complete request of the P-Chain. */
export const finishRequest: Requests['finishRequest'] = requests.finishRequest

/** Verifies every signature of a transaction of the P-Chain. */
export const verifySignatures: Requests['verifySignatures'] = requests.verifySignatures
