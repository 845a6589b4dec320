/** The candidate with the smallest edit distance to a word; undefined if none is close. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  // At most half of a short word may differ; otherwise every candidate is close to a single letter.
  const maxDistance = Math.min(Math.ceil(word.length / 2), Math.max(2, Math.floor(word.length / 3)))
  let bestDistance = maxDistance + 1
  for (const candidate of candidates) {
    const distance = word.length > 64 ? Number.POSITIVE_INFINITY : editDistance(word, candidate)
    if (distance < bestDistance) {
      bestDistance = distance
      best = candidate
    }
  }
  return best
}

/** Number of letters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let k = 1; k <= b.length; k++) {
      const change = row[k - 1]! + (a[i - 1] === b[k - 1] ? 0 : 1)
      next.push(Math.min(change, row[k]! + 1, next[k - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
