import { equalBytes } from '../base/bytes/compare.ts'
import { formatUTXOID, type UTXOID } from '../base/encoding/ids.ts'
import type { OutputOwners, SignerInput } from '../chain/owners.ts'
import {
  CREDENTIAL_TYPES,
  type Credential,
  type FxOperation,
  fxIndexOf,
  type Output,
} from '../chain/x/fx.ts'
import { utxoKey } from '../chain/x/ids.ts'
import {
  type AnyTx,
  type AnyUTXO,
  type Chain,
  type LockableOutput,
  type Spend,
  spendsUTXO,
} from './chain.ts'
import { SignError, type SignErrorCode } from './errors.ts'

/** The required type and signers of one credential. */
export type CredentialPlan = {
  readonly type: Credential['type']
  /** 20 bytes each, in the order of the signature indices: addresses, or the account that is debited. */
  readonly signers: readonly Uint8Array[]
}

/** The type of output that each operation consumes. */
const OPERATED: { readonly [Type in FxOperation['type']]: Output['type'] } = {
  'secp256k1fx.MintOperation': 'secp256k1fx.MintOutput',
  'nftfx.MintOperation': 'nftfx.MintOutput',
  'nftfx.TransferOperation': 'nftfx.TransferOutput',
  'propertyfx.MintOperation': 'propertyfx.MintOutput',
  'propertyfx.BurnOperation': 'propertyfx.OwnedOutput',
}

/**
 * Compares every input and operation of a transaction with its UTXO (ID, asset, type, amount, stakeable lock) and
 * determines the signers of each credential. `utxos` are in the order of the credentials. Follows the reference signer
 * and the node's ownership check, except for locktimes.
 *
 * @throws SignError `UTXO_UNKNOWN`, `UTXO_MISMATCH`, or the code of the node's rule that is broken.
 */
export function planCredentials(
  chain: Chain,
  spends: readonly Spend[],
  utxos: readonly (AnyUTXO | undefined)[],
): CredentialPlan[] {
  requireUTXOCount(spends, utxos.length)
  return spends.map((spend, credential) =>
    spend.account === undefined
      ? planSpend(chain, spend, utxos[credential], credential)
      : { type: 'secp256k1fx.Credential', signers: [spend.account.address] },
  )
}

/**
 * Checks that there are not more UTXOs than a transaction spends.
 *
 * @throws SignError `UTXO_MISMATCH`
 */
export function requireUTXOCount(spends: readonly Spend[], count: number): void {
  const expected = spends.filter(spendsUTXO).length
  if (count > expected)
    throw new SignError(
      'UTXO_MISMATCH',
      `expected ${expected} UTXOs, one for each credential, found ${count}`,
    )
}

/**
 * The known UTXOs with the IDs that a transaction spends, in the order of its credentials; undefined for unknown ones.
 * Their assets and amounts may differ from those that the inputs state.
 */
export function findUTXOs(
  chain: Chain,
  tx: AnyTx,
  known: readonly AnyUTXO[],
): (AnyUTXO | undefined)[] {
  return findEach(chain.spends(tx).filter(spendsUTXO), known)
}

/** As {@link findUTXOs}, but undefined also for UTXOs with another asset or amount than the input states. */
export function matchUTXOs(
  chain: Chain,
  tx: AnyTx,
  known: readonly AnyUTXO[],
): (AnyUTXO | undefined)[] {
  const spends = chain.spends(tx).filter(spendsUTXO)
  return findEach(spends, known).map((utxo, i) => {
    const { assetID, amount } = spends[i]!
    if (utxo === undefined || !equalBytes(utxo.assetID, assetID)) return undefined
    const { output } = chain.outputOf(utxo)
    const found = output.type === 'secp256k1fx.TransferOutput' ? output.amount : undefined
    return found === amount ? utxo : undefined
  })
}

function findEach(spends: readonly Spend[], known: readonly AnyUTXO[]): (AnyUTXO | undefined)[] {
  const byName = new Map(known.map((utxo) => [utxoKey(utxo), utxo]))
  return spends.map(({ utxoIDs }) =>
    utxoIDs.length === 1 ? byName.get(utxoKey(utxoIDs[0]!)) : undefined,
  )
}

/** The part of the transaction that a credential belongs to. The path is formatted only for errors. */
type SpendPlace = { readonly list: string; readonly index: number; readonly credential: number }

function planSpend(
  chain: Chain,
  spend: Spend,
  utxo: AnyUTXO | undefined,
  credential: number,
): CredentialPlan {
  const { list, index, assetID, utxoIDs, signers, amount, operation } = spend
  const place = { list, index, credential }
  if (utxoIDs.length !== 1)
    throw spendError(
      'WRONG_NUMBER_OF_UTXOS',
      place,
      (path) => `expected one UTXO in ${path}, found ${utxoIDs.length}`,
    )
  checkIdentity(utxoIDs[0]!, assetID, utxo, place)
  const lockable = chain.outputOf(utxo)
  const { output } = lockable
  const type = operation ? OPERATED[operation.type] : 'secp256k1fx.TransferOutput'
  if (output.type !== type)
    throw spendError(
      'SIGNER_UNKNOWN_OUTPUT',
      place,
      (path) => `expected ${path} to spend a ${type}, found a ${output.type}`,
    )
  checkLock(spend, lockable, place)
  const found = output.type === 'secp256k1fx.TransferOutput' ? output.amount : undefined
  if (found !== amount) throw mismatch(place, `spends ${amount} of a UTXO of ${found}`)
  return {
    type: operation ? CREDENTIAL_TYPES[fxIndexOf(operation)]! : 'secp256k1fx.Credential',
    signers: requiredSigners(signers, output, place),
  }
}

/** An input without a lock may spend a UTXO with one that has passed; the chain decides. */
function checkLock(
  { stakeableLocktime: stated }: Spend,
  { stakeableLocktime }: LockableOutput,
  place: SpendPlace,
): void {
  if (stated !== undefined && stated !== stakeableLocktime)
    throw mismatch(place, `is locked until ${stated}, the UTXO until ${stakeableLocktime}`)
}

function checkIdentity(
  id: UTXOID,
  assetID: Uint8Array,
  utxo: AnyUTXO | undefined,
  place: SpendPlace,
): asserts utxo is AnyUTXO {
  if (utxo === undefined)
    throw spendError('UTXO_UNKNOWN', place, (path) => `missing UTXO ${formatUTXOID(id)} of ${path}`)
  if (id.outputIndex !== utxo.outputIndex || !equalBytes(id.txID, utxo.txID))
    throw mismatch(place, `spends ${formatUTXOID(id)}, the UTXO given is ${formatUTXOID(utxo)}`)
  if (!equalBytes(assetID, utxo.assetID)) throw mismatch(place, 'has a different asset')
}

function requiredSigners(
  { signatureIndices }: SignerInput,
  { threshold, addresses }: OutputOwners,
  place: SpendPlace,
): Uint8Array[] {
  const count = signatureIndices.length
  if (count !== threshold)
    throw spendError(
      count > threshold ? 'TOO_MANY_SIGNERS' : 'TOO_FEW_SIGNERS',
      place,
      (path) => `expected ${threshold} signers of ${path}, found ${count}`,
    )
  return signatureIndices.map((index, slot) => {
    const address = addresses[index]
    if (address === undefined)
      throw spendError(
        'SIGNER_INVALID_SIG_INDEX',
        place,
        (path) => `expected a signature index below ${addresses.length} in ${path}, found ${index}`,
        slot,
      )
    return address
  })
}

function mismatch(place: SpendPlace, how: string): SignError {
  return spendError('UTXO_MISMATCH', place, (path) => `${path} does not match its UTXO: it ${how}`)
}

function spendError(
  code: SignErrorCode,
  { list, index, credential }: SpendPlace,
  message: (path: string) => string,
  slot?: number,
): SignError {
  const path = `${list}[${index}]`
  return new SignError(code, message(path), {
    path,
    credential,
    slot,
  })
}
