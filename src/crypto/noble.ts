// What the two noble packages share. Their "recovered" format is `v‖r‖s`; the chain writes `r‖s‖v`.

/** Options of both packages' `sign`: the hash is given, and the recovery ID is wanted. */
export function nobleOptions(extraEntropy: Uint8Array | undefined): {
  readonly prehash: false
  readonly format: 'recovered'
  readonly extraEntropy: Uint8Array | false
} {
  return { prehash: false, format: 'recovered', extraEntropy: extraEntropy ?? false }
}

/** Moves the recovery ID of noble's format to the end. */
export function recoveryIDLast(recovered: Uint8Array): Uint8Array {
  const signature = new Uint8Array(65)
  signature.set(recovered.subarray(1))
  signature[64] = recovered[0]!
  return signature
}

/** Noble's format of `r‖s` with this recovery ID. */
export function recoveryIDFirst(signature: Uint8Array, recoveryID: number): Uint8Array {
  const recovered = new Uint8Array(65)
  recovered[0] = recoveryID
  recovered.set(signature.subarray(0, 64), 1)
  return recovered
}
