import { EncodingError } from '../errors.ts'
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

/** Chain and network that an address must have. Omitted fields are not checked. */
export type ExpectedAddress = {
  /** Alias or ID of the chain. */
  readonly chain?: string | undefined
  /** Human-readable part of the network. */
  readonly hrp?: string | undefined
}

/**
 * Parses an address such as `X-avax1…`. Checks the checksum, case and length, and chain and network if `expected`
 * specifies them.
 *
 * @throws EncodingError `ENC_MISSING_PREFIX`, `ENC_BAD_BECH32`, `ENC_BAD_CHECKSUM`, `ENC_MIXED_CASE`, `ENC_TOO_LONG`,
 * `ENC_WRONG_LENGTH`, `ENC_WRONG_CHAIN`, `ENC_WRONG_HRP`, or `ENC_INVALID` if `text` is not a string
 *
 * @example
 * parseAddress('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', { chain: 'X', hrp: 'local' })
 */
export function parseAddress(text: string, expected: ExpectedAddress = {}): ParsedAddress {
  requireText(text, 'address')
  const dash = text.indexOf('-')
  if (dash < 1)
    throw new EncodingError(
      'ENC_MISSING_PREFIX',
      `address has no chain prefix: ${dash < 0 ? 'no dash found' : 'it starts with a dash'}`,
      {
        hint: /^0x[0-9a-f]{40}$/i.test(text)
          ? 'this is an EVM address of the C-Chain; addresses of the X-Chain look like X-avax1…'
          : 'addresses look like X-avax1…',
      },
    )
  const { hrp, bytes } = decodeBech32(text.slice(dash + 1), dash + 1)
  const chain = text.slice(0, dash)
  if (expected.chain !== undefined && chain !== expected.chain)
    throw new EncodingError(
      'ENC_WRONG_CHAIN',
      `address of the wrong chain: expected ${expected.chain}, found ${JSON.stringify(chain)}`,
    )
  if (expected.hrp !== undefined && hrp !== expected.hrp)
    throw new EncodingError(
      'ENC_WRONG_HRP',
      `address of the wrong network: expected ${expected.hrp}, found ${JSON.stringify(hrp)}`,
    )
  return { chain, hrp, address: requireBytes(bytes, 'address', ADDRESS_SIZE) }
}

/**
 * Formats an address as `<chain>-<bech32>`, the form that `parseAddress` reads.
 *
 * @throws EncodingError `ENC_INVALID`, `ENC_WRONG_LENGTH`, `ENC_WRONG_CHAIN`, `ENC_BAD_BECH32`, `ENC_MIXED_CASE`
 *
 * @example
 * formatAddress({ chain: 'X', hrp: 'local', address: new Uint8Array(20) })
 */
export function formatAddress(parts: ParsedAddress): string {
  const { chain, hrp, address } = parts ?? {}
  requireBytes(address, 'address', ADDRESS_SIZE)
  requireText(chain, 'chain')
  requireText(hrp, 'hrp')
  if (chain === '' || chain.includes('-'))
    throw new EncodingError(
      'ENC_WRONG_CHAIN',
      `chain alias must be non-empty and contain no dash, is ${JSON.stringify(chain)}`,
    )
  return `${chain}-${encodeBech32(hrp, address)}`
}
