import {
  argument,
  type Check,
  ignored,
  integerFrom,
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

/** Position of a key in an account: `m/44'/9000'/a'/change/index`. Both numbers are below 2^31. */
export type HDPosition = {
  /** 0 for receiving addresses, 1 for change addresses. */
  readonly change: number
  readonly index: number
}

/** The full path of a key. All numbers are below 2^31. */
export type HDPath = HDPosition & { readonly account: number }

/** A number of a path, without the hardening offset. */
export const pathNumber: Check<number> = integerFrom(0, NUMBER_LIMIT - 1)

const positionMembers: Members<HDPosition> = { change: pathNumber, index: pathNumber }

type GivenPosition = Partial<HDPath> &
  HDPosition & { readonly address?: unknown; readonly path?: unknown; readonly utxos?: unknown }

const givenPosition: Check<GivenPosition> = object<GivenPosition>({
  ...positionMembers,
  account: optional(pathNumber),
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
})

/** Parses `m/44'/9000'/a'/c/i`, the only form of path that Avalanche wallets use. */
export function parseHDPath(text: string): HDPath {
  requireText(text, 'path')
  const match = /^m\/44'\/9000'\/(0|[1-9]\d{0,9})'\/(0|[1-9]\d{0,9})\/(0|[1-9]\d{0,9})$/.exec(text)
  if (match === null)
    throw new CryptoError('PATH_INVALID', "invalid path: expected m/44'/9000'/a'/c/i")
  const [account, change, index] = match.slice(1).map(Number) as [number, number, number]
  return {
    account: checkPathNumber('account', account),
    change: checkPathNumber('change', change),
    index: checkPathNumber('index', index),
  }
}

/** Formats a path as `m/44'/9000'/a'/c/i`. */
export function formatHDPath(path: HDPath): string {
  return writeHDPath(argument('formatHDPath', path, hdPath))
}

/** `formatHDPath` for a path that needs no check. */
export function writeHDPath({ account, change, index }: HDPath): string {
  return `m/${PURPOSE}'/${COIN_TYPE}'/${account}'/${change}/${index}`
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
