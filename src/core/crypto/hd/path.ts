import {
  argument,
  type Check,
  ignored,
  integerFrom,
  invalid,
  type Members,
  object,
  optional,
} from '../../base/argument.ts'
import { requireText } from '../../base/require.ts'
import { CryptoError } from '../errors.ts'

/** Hardened numbers start here (BIP-32); all others are below. */
const NUMBER_LIMIT = 0x80000000

/** The first number of every path of BIP-44. */
export const PURPOSE = 44

/** Avalanche's number in SLIP-44. */
export const COIN_TYPE = 9000

/** Number in SLIP-44 of Ethereum, which wallets also use for keys of the C-Chain. */
const EVM_COIN_TYPE = 60

/** The second number of a path: 9000 for Avalanche, or 60 for keys of the C-Chain as EVM wallets derive them. */
export type CoinType = 9000 | 60

/** Description of `CoinType`. */
export const coinTypeArgument: Check<CoinType> = (value, at) => {
  if (value !== COIN_TYPE && value !== EVM_COIN_TYPE) throw invalid(value, at, '9000 or 60')
  return value
}

/** Position of a key in an account: `m/44'/9000'/a'/change/index`. Both numbers are below 2^31. */
export type HDPosition = {
  /** 0 for receiving addresses, 1 for change addresses. */
  readonly change: number
  readonly index: number
}

/** The full path of a key. All numbers are below 2^31. */
export type HDPath = HDPosition & {
  readonly account: number
  /** @defaultValue 9000 */
  readonly coinType?: CoinType | undefined
}

/** A number of a path, without the hardening offset. */
export const pathNumber: Check<number> = integerFrom(0, NUMBER_LIMIT - 1)

const positionMembers: Members<HDPosition> = { change: pathNumber, index: pathNumber }

type GivenPosition = Partial<Omit<HDPath, 'coinType'>> &
  HDPosition & {
    readonly coinType?: unknown
    readonly address?: unknown
    readonly path?: unknown
    readonly utxos?: unknown
  }

const givenPosition: Check<GivenPosition> = object<GivenPosition>({
  ...positionMembers,
  account: optional(pathNumber),
  coinType: ignored,
  // Members of parsed paths and of addresses that a search has found; they are not read.
  address: ignored,
  path: ignored,
  utxos: ignored,
})

/**
 * Describes a position of a key of an account. Parsed paths and addresses that a search has found are accepted, too,
 * but not a path of another account.
 */
/* @__NO_SIDE_EFFECTS__ */
export function positionIn(account: number): Check<HDPosition> {
  return (value, at) => {
    const { change, index, account: stated = account } = givenPosition(value, at)
    if (stated !== account)
      throw new CryptoError(
        'PATH_INVALID',
        `${at.call}: the position is in account ${stated}, not in account ${account}`,
      )
    return { change, index }
  }
}

const hdPath: Check<HDPath> = object<HDPath>({
  ...positionMembers,
  account: pathNumber,
  coinType: optional(coinTypeArgument),
})

/** Parses `m/44'/9000'/a'/c/i`, or `m/44'/60'/a'/c/i`, which has `coinType: 60`. Avalanche wallets use no other paths. */
export function parseHDPath(text: string): HDPath {
  requireText(text, 'path')
  const match = /^m\/44'\/(9000|60)'\/(0|[1-9]\d{0,9})'\/(0|[1-9]\d{0,9})\/(0|[1-9]\d{0,9})$/.exec(
    text,
  )
  if (match === null)
    throw new CryptoError(
      'PATH_INVALID',
      "invalid path: expected m/44'/9000'/a'/c/i or m/44'/60'/a'/c/i",
    )
  const [coinType, account, change, index] = match.slice(1).map(Number) as number[]
  return {
    ...(coinType === EVM_COIN_TYPE && { coinType: EVM_COIN_TYPE }),
    account: checkPathNumber('account', account!),
    change: checkPathNumber('change', change!),
    index: checkPathNumber('index', index!),
  }
}

/** Formats a path as `m/44'/9000'/a'/c/i`, or with the coin type that it has. */
export function formatHDPath(path: HDPath): string {
  return writeHDPath(argument('formatHDPath', path, hdPath))
}

/** `formatHDPath` for a path that needs no check. */
export function writeHDPath({ coinType = COIN_TYPE, account, change, index }: HDPath): string {
  return `m/${PURPOSE}'/${coinType}'/${account}'/${change}/${index}`
}

/** Returns a number of a parsed path; throws `PATH_INVALID` if it is not below 2^31. */
function checkPathNumber(name: string, number: number): number {
  if (number >= NUMBER_LIMIT)
    throw new CryptoError(
      'PATH_INVALID',
      `${name} must be an integer from 0 to ${NUMBER_LIMIT - 1}, is ${number}`,
    )
  return number
}
