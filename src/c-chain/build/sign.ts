import { type Keys, type SignResult, signersOf, signWith } from '../../atomic/sign.ts'
import { addressOf } from '../../crypto/secp256k1.ts'
import { hex } from '../../encoding/hex.ts'
import { SignError } from '../../sign/errors.ts'
import { evmAddressBytes } from '../evm-address.ts'
import { hashToSign } from '../ids.ts'
import { encodeTx, type UnsignedTx } from '../tx.ts'
import type { Draft } from './draft.ts'

/**
 * Signs a draft of the C-Chain with keys that are at hand. An import is signed by the owners of its UTXOs, an
 * export by the keys of its accounts. The result is a whole signed transaction or says whose signatures are
 * missing; for an export these are EVM addresses.
 *
 * @throws SignError if an input and its UTXO do not belong together.
 * @example
 * const { bytes, txID } = cChain.requireSigned(cChain.signDraft(draft, keys))
 */
export function signDraft(
  { unsignedTx, utxos }: Pick<Draft, 'unsignedTx' | 'utxos'>,
  keys: Keys,
): SignResult<UnsignedTx> {
  const hash = hashToSign(unsignedTx)
  if (unsignedTx.type === 'ExportTx') {
    const accounts = new Map(
      keys.publicKeys.map((key) => [hex.encode(evmAddressBytes(key)), addressOf(key)]),
    )
    const signers = unsignedTx.inputs.map(({ address }) => [address])
    return signWith({ unsignedTx, hash, signers, encode: encodeTx }, (account, digest) => {
      const address = accounts.get(hex.encode(account))
      return address && keys.sign(address, digest)
    })
  }
  if (utxos.length > unsignedTx.importedInputs.length)
    throw new SignError(
      'UTXO_MISMATCH',
      `expected ${unsignedTx.importedInputs.length} UTXOs, one for each credential, found ${utxos.length}`,
    )
  const signers = unsignedTx.importedInputs.map((id, i) => {
    const utxo = utxos[i]
    const output = utxo?.output.type === 'secp256k1fx.TransferOutput' ? utxo.output : undefined
    return signersOf({ id, input: id.input, utxo, output }, `importedInputs[${i}]`)
  })
  return signWith({ unsignedTx, hash, signers, encode: encodeTx }, (address, digest) =>
    keys.has(address) ? keys.sign(address, digest) : undefined,
  )
}
