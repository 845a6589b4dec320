import { bigintFrom, bytesOf, type Check, integerFrom, kinds } from '../../core/base/argument.ts'
import { ID_SIZE } from '../../core/base/encoding/ids.ts'

/** The last second that `Date` can format, as the health API does; in the year 275760. */
const MAX_TIME = 8_640_000_000_000

const wholeSeconds = integerFrom(0, MAX_TIME)

/** Unix seconds that the node's APIs can report. The copy is a bigint. */
export const unixTime: Check<bigint> = kinds<bigint>({
  number: (value, at) => BigInt(wholeSeconds(value, at)),
  bigint: bigintFrom(0n, BigInt(MAX_TIME)),
})

/** The bytes of an ID. */
export const idBytes: Check<Uint8Array> = bytesOf(ID_SIZE)
