/** The signers of a request, as texts: addresses, or accounts of the C-Chain. */
export type SignerSets = readonly {
  readonly signers: readonly string[]
  readonly missing: readonly string[]
}[]

/** How keys fit a request. */
export type KeyFit = {
  /** Names of the keys that can sign: their addresses, or their accounts. */
  readonly signing: readonly string[]
  /** Signers that the request waits for, of all signer sets. */
  readonly needed: readonly string[]
}

/** Compares the names of keys with the signers of a request. Any signer set is sufficient. */
export function keyFit(names: readonly string[], sets: SignerSets): KeyFit {
  const signers = new Set(sets.flatMap((set) => set.signers))
  return {
    signing: names.filter((name) => signers.has(name)),
    needed: [...new Set(sets.flatMap((set) => set.missing))],
  }
}
