import { sha256 } from '../../core/base/hash/sha256.ts'

/*
 * Which fragments a part of a UR mixes (BCR-2020-005): chosen by xoshiro256** from the number of the part and the
 * checksum of the message, so that encoder and decoder agree. The first parts are the fragments themselves.
 */

/** The positions of the fragments in part `seqNum`, which counts from 1. */
export function chooseFragments(seqNum: number, seqLength: number, checksum: number): number[] {
  if (seqNum <= seqLength) return [seqNum - 1]
  const seed = new Uint8Array(8)
  new DataView(seed.buffer).setUint32(0, seqNum)
  new DataView(seed.buffer).setUint32(4, checksum)
  const random = xoshiro(sha256(seed))
  const degree = chooseDegree(seqLength, random)
  const remaining = Array.from({ length: seqLength }, (_, i) => i)
  return Array.from({ length: degree }, () => {
    const [chosen] = remaining.splice(Math.floor(random() * remaining.length), 1)
    return chosen!
  })
}

/** How many fragments a part mixes: n with a probability proportional to 1/n, by the alias method. */
function chooseDegree(count: number, random: () => number): number {
  const weights = Array.from({ length: count }, (_, i) => 1 / (i + 1))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const shares = weights.map((weight) => (weight * count) / sum)
  const [small, large]: [number[], number[]] = [[], []]
  for (let i = count - 1; i >= 0; i--) (shares[i]! < 1 ? small : large).push(i)
  const limits = new Array<number>(count).fill(1)
  const aliases = new Array<number>(count).fill(0)
  while (small.length > 0 && large.length > 0) {
    const [low, high] = [small.pop()!, large.pop()!]
    limits[low] = shares[low]!
    aliases[low] = high
    shares[high] = shares[high]! + shares[low]! - 1
    ;(shares[high]! < 1 ? small : large).push(high)
  }
  const [first, second] = [random(), random()]
  const i = Math.floor(count * first)
  return 1 + (second < limits[i]! ? i : aliases[i]!)
}

/** xoshiro256**, as numbers from 0 to 1. */
function xoshiro(seed: Uint8Array): () => number {
  const view = new DataView(seed.buffer, seed.byteOffset)
  const s = [0, 8, 16, 24].map((at) => view.getBigUint64(at)) as [bigint, bigint, bigint, bigint]
  const u64 = (value: bigint) => BigInt.asUintN(64, value)
  const rotate = (value: bigint, by: bigint) => u64(value << by) | (value >> (64n - by))
  return () => {
    const result = u64(rotate(u64(s[1] * 5n), 7n) * 9n)
    const shifted = u64(s[1] << 17n)
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= shifted
    s[3] = rotate(s[3], 45n)
    return Number(result) / 2 ** 64
  }
}
