// Used with both noble packages. Their signature format "recovered" is `v‖r‖s`; that of the chain is `r‖s‖v`.

/** Options of noble's `sign`: the input is already a hash, and the result includes the recovery ID. */
export function nobleOptions(extraEntropy: Uint8Array | undefined): {
  readonly prehash: false
  readonly format: 'recovered'
  readonly extraEntropy: Uint8Array | false
} {
  return { prehash: false, format: 'recovered', extraEntropy: extraEntropy ?? false }
}

/** Converts noble's `v‖r‖s` to `r‖s‖v`. */
export function recoveryIDLast(nobleSignature: Uint8Array): Uint8Array {
  const signature = new Uint8Array(65)
  signature.set(nobleSignature.subarray(1))
  signature[64] = nobleSignature[0]!
  return signature
}

/** Converts the `r‖s` of a signature to noble's `v‖r‖s`, with the given recovery ID as v. */
export function recoveryIDFirst(signature: Uint8Array, recoveryID: number): Uint8Array {
  const nobleSignature = new Uint8Array(65)
  nobleSignature[0] = recoveryID
  nobleSignature.set(signature.subarray(0, 64), 1)
  return nobleSignature
}
