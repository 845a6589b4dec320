import { hashToSign } from '../../chain/p/ids.ts'
import { unlockedInput, unlockedOutput } from '../../chain/p/transferables.ts'
import { encodeTx, encodeUnsignedTx, inputsOf, type UnsignedTx } from '../../chain/p/tx.ts'
import { utxo } from '../../chain/p/utxo.ts'
import type { Draft } from '../../draft/p/draft.ts'
import {
  type AtomicDraftOptions,
  inputSigners,
  type Keys,
  mismatch,
  openDraft,
  requireKeys,
  requireSignable,
  type Signable,
  type SignResult,
  signWith,
} from '../atomic/sign.ts'
import { type AtomicSignerOptions, signWithSigners } from '../atomic/signers.ts'
import { SignError } from '../errors.ts'
import type { Signer } from '../signer.ts'
import { detailsOf } from './explain.ts'

/**
 * Signs a draft of the P-Chain with keys in memory, after comparing every input with the UTXO it spends. The result is
 * either the signed transaction, or the slots whose signatures are missing.
 *
 * @throws SignError if an input does not match its UTXO, or with the code of the first danger that is not accepted.
 * @example
 * const { bytes, txID } = pChain.requireSigned(pChain.signDraft(draft, keys))
 */
export function signDraft(
  draft: Pick<Draft, 'unsignedTx' | 'utxos' | 'context'>,
  keys: Keys,
  options?: AtomicDraftOptions,
): SignResult<UnsignedTx> {
  requireKeys(keys)
  const { extraEntropy, backend } = options ?? {}
  return signWith(openDraft(draft, signableOf, detailsOf, options), (address, hash) =>
    keys.has(address) ? keys.sign(address, hash, extraEntropy, backend) : undefined,
  )
}

/**
 * Signs a draft of the P-Chain with external signers: devices and key services. Each signature is checked.
 *
 * @throws SignError like `signDraft`, or `SIGNER_FAILED`; CryptoError for a signature that is not by the expected signer.
 */
export async function signDraftWith(
  draft: Pick<Draft, 'unsignedTx' | 'utxos' | 'context'>,
  signers: readonly Signer[],
  options?: AtomicSignerOptions,
): Promise<SignResult<UnsignedTx>> {
  const signable = openDraft(draft, signableOf, detailsOf, options)
  return signWithSigners(signable, signers, (address) => address, options ?? {})
}

/** Returns the signers of a draft, after comparing its inputs with the UTXOs. */
export function signableOf(draft: Pick<Draft, 'unsignedTx' | 'utxos'>): Signable<UnsignedTx> {
  requireSignable(draft, utxo)
  const { unsignedTx, utxos } = draft
  const unsignedBytes = encodeUnsignedTx(unsignedTx)
  const inputs = inputsOf(unsignedTx)
  if (utxos.length > inputs.length)
    throw new SignError(
      'UTXO_MISMATCH',
      `expected ${inputs.length} UTXOs, one for each credential, found ${utxos.length}`,
    )
  const local = unsignedTx.inputs.length
  const signers = inputs.map((id, i) => {
    const utxo = utxos[i]
    const path = i < local ? `inputs[${i}]` : `importedInputs[${i - local}]`
    const { input } = id
    const lock = utxo?.output.type === 'stakeable.LockOut' ? utxo.output.locktime : 0n
    if (utxo !== undefined && input.type === 'stakeable.LockIn' && input.locktime !== lock)
      throw mismatch(path, `it is locked until ${input.locktime}, the UTXO until ${lock}`)
    return inputSigners(
      { id, input: unlockedInput(input), utxo, output: utxo && unlockedOutput(utxo.output) },
      path,
    )
  })
  return { unsignedTx, unsignedBytes, hash: hashToSign(unsignedBytes), signers, encode: encodeTx }
}
