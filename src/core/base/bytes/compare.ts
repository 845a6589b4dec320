/** Compares byte strings lexicographically, as Go's `bytes.Compare` does: a prefix sorts before a longer string. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const difference = a[i]! - b[i]!
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Whether two byte strings have the same length and content. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
