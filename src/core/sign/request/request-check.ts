import {
  argument,
  bytesOf,
  type Check,
  list,
  type Members,
  object,
  optional,
} from '../../base/argument.ts'
import { hex } from '../../base/encoding/hex.ts'
import type { ChainAlias } from '../../chain/chain-types.ts'
import { networkContext } from '../../chain/networks.ts'
import {
  addressPath,
  addressSignature,
  chainArgument,
  changeArgument,
  present,
} from '../arguments.ts'
import type { AnyTx, AnyUTXO, Chain } from '../chain.ts'
import { SignError } from '../errors.ts'
import { chainNamed } from '../registry.ts'
import type { AddressPath } from '../signer.ts'
import { MAX_SIGNER_SETS, withoutSigners } from '../signer-sets.ts'
import { malformed } from './request-json.ts'
import type { SignerSet, SigningRequest } from './signing-request.ts'

/** A request whose structs are not checked yet. Requests without a chain are of the X-Chain. */
type GivenRequest = Omit<SigningRequest<ChainAlias>, 'chain' | 'utxos'> & {
  readonly chain?: ChainAlias | undefined
  readonly utxos: unknown
}

const requestMembers: Members<GivenRequest> = {
  chain: optional(chainArgument),
  context: networkContext,
  utxos: present,
  change: changeArgument,
  paths: list(addressPath),
  // The proofs themselves are decoded where they are used.
  proofs: list(bytesOf()),
  signerSets: list(
    object<SignerSet<ChainAlias>>({
      unsignedTx: present as Check<AnyTx>,
      signatures: list(addressSignature),
    }),
  ),
}

const requestArgument: Check<GivenRequest> = object<GivenRequest>(requestMembers)

/**
 * Checks a request and copies it, so that what is signed is what was checked.
 *
 * @throws ArgumentError, CodecError, SignError `CHAIN_NOT_IMPORTED`, `REQUEST_SIGNER_SETS`
 */
export function checkRequest(call: string, value: unknown): SigningRequest<ChainAlias> {
  // Structs are read here, too, so that failing getters of the caller give a typed error.
  return argument(call, value, readRequest)
}

const readRequest: Check<SigningRequest<ChainAlias>> = (value, at) => {
  const given = requestArgument(value, at)
  const chain = chainNamed(given.chain ?? 'X')
  const request = {
    ...given,
    chain: chain.alias,
    utxos: chain.copyUTXOs(given.utxos as readonly AnyUTXO[]),
    signerSets: given.signerSets.map(({ unsignedTx, signatures }) => ({
      unsignedTx: chain.decodeUnsignedTx(chain.encodeUnsignedTx(unsignedTx)),
      signatures,
    })),
  }
  requireFewAccounts(request.paths)
  requireSignerSets(chain, request.signerSets)
  return request
}

/** Limit of HD accounts whose paths one request may have. A signer derives each of them, which takes about 30 ms. */
export const MAX_HD_ACCOUNTS = 256

/**
 * Checks the number of HD accounts in the paths of a request.
 *
 * @throws SignError `REQUEST_MALFORMED`
 */
export function requireFewAccounts(paths: readonly AddressPath[]): void {
  // The fourth part of m/44'/9000'/a'/c/i.
  if (new Set(paths.map((each) => each.path.split('/')[3])).size > MAX_HD_ACCOUNTS)
    throw malformed('paths', `keys of at most ${MAX_HD_ACCOUNTS} HD accounts`)
}

/** Limit of the signatures of all signer sets. Without a native backend, checking one takes about 4 ms. */
const MAX_SIGNATURES = 2_000

/**
 * Checks that the signer sets of a request are one transaction with different signers, so that one explanation covers all,
 * and that they do not have too many signatures.
 *
 * @throws SignError `REQUEST_SIGNER_SETS`
 */
export function requireSignerSets(
  chain: Chain,
  signerSets: readonly SignerSet<ChainAlias>[],
): void {
  const txs = signerSets.map((signerSet) => signerSet.unsignedTx)
  if (txs.length === 0 || txs.length > MAX_SIGNER_SETS)
    throw new SignError(
      'REQUEST_SIGNER_SETS',
      `expected 1 to ${MAX_SIGNER_SETS} signer sets, found ${txs.length}`,
    )
  const signatureCount = signerSets.reduce((sum, { signatures }) => sum + signatures.length, 0)
  if (signatureCount > MAX_SIGNATURES)
    throw new SignError(
      'REQUEST_SIGNER_SETS',
      `expected at most ${MAX_SIGNATURES} signatures, found ${signatureCount}`,
    )
  if (txs.length === 1) return
  const textOf = (tx: AnyTx) => hex.encode(chain.encodeUnsignedTx(tx))
  if (new Set(txs.map((tx) => textOf(withoutSigners(chain, tx)))).size > 1)
    throw new SignError('REQUEST_SIGNER_SETS', 'the signer sets differ in more than their signers')
  if (new Set(txs.map(textOf)).size !== txs.length)
    throw new SignError('REQUEST_SIGNER_SETS', 'the request has the same signer set twice')
}
