import { CryptoError } from '../errors.ts'

/** Hardened numbers begin here, so all others are below it. */
const NUMBER_LIMIT = 0x80000000

/** The first number of every path of BIP-44. */
export const PURPOSE = 44

/** Avalanche's number in SLIP-44. */
export const COIN_TYPE = 9000

/** A key below an account: `m/44'/9000'/a'/change/index`, both numbers below 2^31. */
export type HDPosition = {
  /** 0 for addresses that are given away, 1 for change. */
  readonly change: number
  readonly index: number
}

/** A key by its whole path. */
export type HDPath = HDPosition & { readonly account: number }

/** Reads `m/44'/9000'/a'/c/i`, the only shape of path the chain's wallets use. */
export function parseHDPath(text: string): HDPath {
  const match = /^m\/44'\/9000'\/(0|[1-9]\d*)'\/(0|[1-9]\d*)\/(0|[1-9]\d*)$/.exec(text)
  if (match === null)
    throw new CryptoError('PATH_INVALID', "expected a path of the shape m/44'/9000'/a'/c/i")
  const [account, change, index] = match.slice(1).map(Number) as [number, number, number]
  return {
    account: checkPathNumber('account', account),
    change: checkPathNumber('change', change),
    index: checkPathNumber('index', index),
  }
}

/** Writes a path as `m/44'/9000'/a'/c/i`. */
export function formatHDPath(path: HDPath): string {
  const { account, change, index } = path ?? {}
  const numbers = [
    `${checkPathNumber('account', account)}'`,
    checkPathNumber('change', change),
    checkPathNumber('index', index),
  ]
  return `m/${PURPOSE}'/${COIN_TYPE}'/${numbers.join('/')}`
}

/** Returns a number of a path, not hardened, or throws `PATH_INVALID`. */
export function checkPathNumber(name: string, number: number): number {
  if (!Number.isInteger(number) || number < 0 || number >= NUMBER_LIMIT)
    throw new CryptoError(
      'PATH_INVALID',
      `${name} should be a whole number from 0 to ${NUMBER_LIMIT - 1}, is ${number}`,
    )
  return number
}
