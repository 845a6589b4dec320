import { argument, bytesOf, type Check, object, optional, text } from '../argument.ts'
import { ArgumentError } from '../errors.ts'
import { addressHint, quoted, wrongChainHint, wrongNetworkHint } from '../hints.ts'
import { requireBytes, requireText } from '../require.ts'
import { decodeBech32, encodeBech32 } from './bech32.ts'

/** Size of an address in bytes: RIPEMD-160 of SHA-256 of the public key. */
export const ADDRESS_SIZE = 20

/** Parts of an address string. */
export type ParsedAddress = {
  /** Alias or ID of the chain: `X`, `P`, `C` … */
  readonly chain: string
  /** Human-readable part, which identifies the network: `avax`, `fuji`, `local`, `custom`. */
  readonly hrp: string
  /** 20 bytes, the same on every chain. */
  readonly address: Uint8Array
}

const addressParts: Check<ParsedAddress> = object<ParsedAddress>({
  chain: text,
  hrp: text,
  address: bytesOf(ADDRESS_SIZE),
})

/** Chain and network that an address must have. Omitted fields are not checked. */
export type ExpectedAddress = {
  /** Alias or ID of the chain. */
  readonly chain?: string | undefined
  /** Human-readable part of the network. */
  readonly hrp?: string | undefined
}

const expectedAddress: Check<ExpectedAddress> = object<ExpectedAddress>({
  chain: optional(text),
  hrp: optional(text),
})

/**
 * Parses an address such as `X-avax1…`. Checks the checksum, case and length, and chain and network if `expected`
 * specifies them.
 *
 * @throws ArgumentError `ENC_MISSING_PREFIX`, `ENC_BAD_BECH32`, `ENC_BAD_CHECKSUM`, `ENC_MIXED_CASE`, `ENC_TOO_LONG`,
 * `ENC_WRONG_LENGTH`, `ENC_WRONG_CHAIN`, `ENC_WRONG_HRP`, or `ENC_INVALID` if `text` is not a string
 *
 * @example
 * parseAddress('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', { chain: 'X', hrp: 'local' })
 */
export function parseAddress(text: string, expected?: ExpectedAddress): ParsedAddress {
  if (expected === undefined) return readAddress(text)
  const { chain, hrp } = argument('parseAddress', expected, expectedAddress)
  return readAddress(text, chain, hrp)
}

/** `parseAddress` for an expectation that needs no check. */
export function readAddress(text: string, chain?: string, hrp?: string): ParsedAddress {
  requireText(text, 'address')
  const dash = text.indexOf('-')
  if (dash < 1)
    throw new ArgumentError(
      'ENC_MISSING_PREFIX',
      `address has no chain prefix: ${dash < 0 ? 'no dash found' : 'it starts with a dash'}`,
      { hint: addressHint(text) },
    )
  const foundChain = text.slice(0, dash)
  // Checked first, because other errors would quote a character of it.
  if (foundChain === 'PrivateKey' || foundChain === 'NodeID')
    throw new ArgumentError('ENC_WRONG_CHAIN', `expected an address, found ${foundChain}-…`, {
      hint: addressHint(text),
    })
  const { hrp: foundHrp, bytes } = decodeBech32(text.slice(dash + 1), dash + 1)
  if (chain !== undefined && foundChain !== chain)
    throw new ArgumentError(
      'ENC_WRONG_CHAIN',
      `address of the wrong chain: expected ${chain}, found ${quoted(foundChain)}`,
      { hint: wrongChainHint(chain, foundChain) },
    )
  if (hrp !== undefined && foundHrp !== hrp)
    throw new ArgumentError(
      'ENC_WRONG_HRP',
      `address of the wrong network: expected ${hrp}, found ${quoted(foundHrp)}`,
      { hint: wrongNetworkHint(hrp, foundHrp) },
    )
  return {
    chain: foundChain,
    hrp: foundHrp,
    address: requireBytes(bytes, 'address', ADDRESS_SIZE),
  }
}

/**
 * Formats an address as `<chain>-<bech32>`, the form that `parseAddress` reads.
 *
 * @throws ArgumentError `ENC_INVALID`, `ENC_WRONG_LENGTH`, `ENC_WRONG_CHAIN`, `ENC_BAD_BECH32`, `ENC_MIXED_CASE`
 *
 * @example
 * formatAddress({ chain: 'X', hrp: 'local', address: new Uint8Array(20) })
 */
export function formatAddress(parts: ParsedAddress): string {
  const { chain, hrp, address } = argument('formatAddress', parts, addressParts)
  return writeAddress(chain, hrp, address)
}

/** `formatAddress` for parts whose types need no check. */
export function writeAddress(chain: string, hrp: string, address: Uint8Array): string {
  if (chain === '' || chain.includes('-'))
    throw new ArgumentError(
      'ENC_WRONG_CHAIN',
      `chain alias must be non-empty and contain no dash, is ${JSON.stringify(chain)}`,
    )
  return `${chain}-${encodeBech32(hrp, address)}`
}
