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

/** Parses `m/44'/9000'/a'/c/i`, the only form of path that Avalanche wallets use. */
export function parseHDPath(text: string): HDPath {
  const match = /^m\/44'\/9000'\/(0|[1-9]\d*)'\/(0|[1-9]\d*)\/(0|[1-9]\d*)$/.exec(text)
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
  const { account, change, index } = path ?? {}
  const numbers = [
    `${checkPathNumber('account', account)}'`,
    checkPathNumber('change', change),
    checkPathNumber('index', index),
  ]
  return `m/${PURPOSE}'/${COIN_TYPE}'/${numbers.join('/')}`
}

/** Returns `number`, without the hardening offset; throws `PATH_INVALID` if it is not an integer below 2^31. */
export function checkPathNumber(name: string, number: number): number {
  if (!Number.isInteger(number) || number < 0 || number >= NUMBER_LIMIT)
    throw new CryptoError(
      'PATH_INVALID',
      `${name} must be an integer from 0 to ${NUMBER_LIMIT - 1}, is ${number}`,
    )
  return number
}
