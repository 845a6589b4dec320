import { EncodingError } from '../errors.ts'
import { decodeBech32, encodeBech32 } from './bech32.ts'

/** Bytes of an address: RIPEMD-160 of SHA-256 of the public key. */
export const ADDRESS_SIZE = 20

/** An address as people write it, taken apart. */
export type ParsedAddress = {
  /** Alias or ID of the chain, as written: `X`, `P`, `C` … */
  readonly chain: string
  /** Prefix that names the network: `avax`, `fuji`, `local`, `custom`. */
  readonly hrp: string
  /** 20 bytes, the same on every chain. */
  readonly address: Uint8Array
}

/** What the caller knows an address must be; what is left out is not checked. */
export type ExpectedAddress = { readonly chain?: string; readonly hrp?: string }

/**
 * Reads an address such as `X-avax1…`, checking its checksum, case and length, and chain and network
 * where `expected` names them.
 *
 * @example
 * parseAddress('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', { chain: 'X', hrp: 'local' })
 */
export function parseAddress(text: string, expected: ExpectedAddress = {}): ParsedAddress {
  const dash = text.indexOf('-')
  if (dash < 1)
    throw new EncodingError(
      'ENC_MISSING_PREFIX',
      `expected a chain and a dash in front of the address, as in X-avax1…, found ${
        dash < 0 ? 'no dash' : 'no chain'
      }`,
    )
  const { hrp, bytes } = decodeBech32(text.slice(dash + 1))
  const chain = text.slice(0, dash)
  if (expected.chain !== undefined && chain !== expected.chain)
    throw new EncodingError(
      'ENC_WRONG_CHAIN',
      `expected an address of chain ${expected.chain}, found one of ${JSON.stringify(chain)}`,
    )
  if (expected.hrp !== undefined && hrp !== expected.hrp)
    throw new EncodingError(
      'ENC_WRONG_HRP',
      `expected an address of network ${expected.hrp}, found one of ${JSON.stringify(hrp)}`,
    )
  if (bytes.length !== ADDRESS_SIZE)
    throw new EncodingError(
      'ENC_WRONG_LENGTH',
      `expected an address of ${ADDRESS_SIZE} bytes, found ${bytes.length}`,
    )
  return { chain, hrp, address: bytes }
}

/**
 * Writes an address in the form that `parseAddress` reads.
 *
 * @example
 * formatAddress({ chain: 'X', hrp: 'local', address })
 */
export function formatAddress(parts: ParsedAddress): string {
  const { chain, hrp, address } = parts
  if (address.length !== ADDRESS_SIZE)
    throw new EncodingError(
      'ENC_WRONG_LENGTH',
      `expected an address of ${ADDRESS_SIZE} bytes, found ${address.length}`,
    )
  if (chain === '' || chain.includes('-'))
    throw new EncodingError(
      'ENC_WRONG_CHAIN',
      `expected a chain alias without a dash, found ${JSON.stringify(chain)}`,
    )
  return `${chain}-${encodeBech32(hrp, address)}`
}
