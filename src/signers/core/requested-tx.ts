import { hex } from '../../core/base/encoding/hex.ts'
import { formatUTXOID, type UTXOID } from '../../core/base/encoding/ids.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { addressOf, recoverPublicKey } from '../../core/crypto/secp256k1.ts'
import type { Draft } from '../../core/draft/draft.ts'
import {
  type AnyTx,
  type AnyUTXO,
  aliasOf,
  areSignedByAccounts,
  type Chain,
  type CreatedOutput,
} from '../../core/sign/chain.ts'
import { type GetTx, readParents } from '../../core/sign/proofs/collect.ts'
import { readExport } from '../../core/sign/proofs/exports.ts'
import { parentsOf, selectProofs } from '../../core/sign/proofs/proofs.ts'
import { chainNamed } from '../../core/sign/registry.ts'
import { createRequest } from '../../core/sign/request/request.ts'
import type { SigningRequest } from '../../core/sign/request/signing-request.ts'
import { CoreError } from './errors.ts'
import { type GivenTx, membersOf, parseGivenTx, parseUTXO, read } from './formats.ts'

/** More UTXOs than a transaction of the maximum size can spend. */
const MAX_UTXOS = 5_000

/** Parameters of a request for signatures that are checked. */
export type RequestedTx = {
  readonly chain: ChainAlias
  readonly tx: GivenTx
  /** By `<txID>:<outputIndex>`. */
  readonly utxos: ReadonlyMap<string, AnyUTXO>
  /** The address that should sign; undefined for any. */
  readonly from?: string | undefined
}

/**
 * Reads the parameters of `avalanche_signTransaction` and `avalanche_sendTransaction`.
 *
 * @throws CoreError `CORE_PARAMS`, SignError `CHAIN_NOT_IMPORTED`
 */
export function parseRequestedTx(params: unknown): RequestedTx {
  const { transactionHex, chainAlias, utxos = [], from } = membersOf(params)
  if (chainAlias !== 'X' && chainAlias !== 'P' && chainAlias !== 'C')
    throw new CoreError('CORE_PARAMS', 'chainAlias must be X, P or C')
  if (!Array.isArray(utxos) || utxos.length > MAX_UTXOS)
    throw new CoreError('CORE_PARAMS', `utxos must be a list of at most ${MAX_UTXOS} texts`)
  if (from !== undefined && typeof from !== 'string')
    throw new CoreError('CORE_PARAMS', 'from must be an address')
  const chain = chainNamed(chainAlias)
  const known = utxos.map((text) => parseUTXO(chain, text))
  return {
    chain: chainAlias,
    tx: parseGivenTx(chain, transactionHex as string),
    utxos: new Map(known.map((utxo) => [formatUTXOID(utxo), utxo])),
    from,
  }
}

/**
 * Puts a requested transaction into a signing request, with the proofs that the wallet's own node has. A UTXO that the
 * request does not state is taken from the transaction that created it.
 *
 * @throws CoreError `CORE_REFUSED` if a UTXO is unknown; SignError, for instance if a UTXO contradicts its proof
 */
export async function signingRequest(
  { chain: alias, tx, utxos: stated }: RequestedTx,
  context: NetworkContext,
  getTx: GetTx,
): Promise<SigningRequest<ChainAlias>> {
  const chain = chainNamed(alias)
  const { unsignedTx } = tx
  const spends = chain.spends(unsignedTx)
  const ids = spends.flatMap(({ utxoIDs }) => utxoIDs)
  const subject = { chain, unsignedTx, utxos: ids, context }
  const parents = selectProofs(subject, await readParents(parentsOf(subject), getTx))
  const creators = new Map(parents.map((bytes) => [hex.encode(sha256(bytes)), bytes]))
  const utxos = spends.flatMap(({ list, utxoIDs }) =>
    utxoIDs.map((id) => {
      const name = formatUTXOID(id)
      const bytes = creators.get(hex.encode(id.txID))
      const known = stated.get(name) ?? created(chain, unsignedTx, context, id, list, bytes)
      if (known !== undefined) return known
      throw new CoreError('CORE_REFUSED', `neither the request nor the node has the UTXO ${name}`)
    }),
  )
  const hash = sha256(tx.unsignedBytes)
  const nameOf = areSignedByAccounts(spends) ? chain.accounts!.of : addressOf
  const signatures = tx.signatures.map((signature) => ({
    address: read('CORE_PARAMS', 'transactionHex has an invalid signature', () =>
      nameOf(recoverPublicKey(hash, signature)),
    ),
    signature,
  }))
  const draft = { chain: alias, unsignedTx, utxos, context } as unknown as Draft<ChainAlias>
  return createRequest(draft, { parents, signatures })
}

/** The UTXO that a transaction of the node has created; undefined if it is not known. */
function created(
  chain: Chain,
  tx: AnyTx,
  context: NetworkContext,
  { txID, outputIndex }: UTXOID,
  list: string,
  bytes: Uint8Array | undefined,
): AnyUTXO | undefined {
  if (bytes === undefined) return undefined
  let outputs: ReadonlyMap<number, CreatedOutput> | undefined
  if (list === 'importedInputs' && 'sourceChain' in tx) {
    const source = aliasOf(tx.sourceChain, context) as ChainAlias
    const destinationID = chain.idIn(context)!
    outputs = readExport({ bytes, id: txID, chain: source, destinationID, context })
  } else outputs = chain.created(bytes, txID, context)
  const output = outputs?.get(outputIndex)
  return output && ({ txID, outputIndex, ...output } as unknown as AnyUTXO)
}
