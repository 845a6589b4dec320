import { type Credential, hashToSign } from '../../src/codec.ts'
import { type Draft, encodeTx, type KeyChain, type UnsignedTx } from '../../src/index.ts'

/** A transaction that pays, spending one coin of one owner. */
export type Payment = Extract<UnsignedTx, { readonly type: 'BaseTx' }>

/** The transfer in a draft. */
export function paymentIn({ unsignedTx }: Draft): Payment {
  if (unsignedTx.type !== 'BaseTx') throw new Error(`expected a BaseTx, found ${unsignedTx.type}`)
  return unsignedTx
}

/** Signs every input with one key, without a look at what it signs: the library itself would refuse. */
export function forge(unsignedTx: UnsignedTx, keys: KeyChain): Uint8Array {
  const signature = keys.sign(keys.addresses[0]!, hashToSign(unsignedTx))
  return withSignatures(unsignedTx, [signature])
}

/** Puts the same signatures into the credential of every input. */
export function withSignatures(
  unsignedTx: UnsignedTx,
  signatures: readonly Uint8Array[],
): Uint8Array {
  const credential: Credential = { type: 'secp256k1fx.Credential', signatures }
  return encodeTx({ unsignedTx, credentials: unsignedTx.inputs.map(() => credential) })
}
