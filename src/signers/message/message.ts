import {
  argument,
  bytesOf,
  type Check,
  kinds,
  object,
  optional,
  text,
} from '../../core/base/argument.ts'
import { readAddress } from '../../core/base/encoding/address.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import type { BackendOption } from '../../core/crypto/backend.ts'
import { CryptoError } from '../../core/crypto/errors.ts'
import { backendOption } from '../../core/crypto/secp256k1.ts'
import { normalizeSignature } from '../../core/crypto/signature.ts'
import type { AddressArgument } from '../../core/draft/arguments.ts'
import { address } from '../../core/draft/descriptions.ts'
import { keysArgument } from '../../core/sign/arguments.ts'
import type { Keys } from '../../core/sign/signer.ts'
import { MessageError } from './errors.ts'

/** 0x1a is the length of what follows, as in Bitcoin's signed messages. */
const HEADER = /* @__PURE__ */ new TextEncoder().encode('\x1aAvalanche Signed Message:\n')

const messageArgument: Check<string | Uint8Array> = kinds<string | Uint8Array>({
  string: text,
  bytes: bytesOf(),
})

/**
 * The bytes of a message that a key signs: header, length as u32, message. The Ledger app takes them as they are. No
 * transaction begins like this, so signing a message never signs a transaction.
 */
export function encodeMessage(message: string | Uint8Array): Uint8Array {
  const content = contentOf('encodeMessage', message)
  const size = new Uint8Array(4)
  new DataView(size.buffer).setUint32(0, content.length)
  return framed(size, content)
}

function contentOf(call: string, message: unknown): Uint8Array {
  const given = argument(call, message, messageArgument, 'message')
  return typeof given === 'string' ? new TextEncoder().encode(given) : given
}

function framed(size: Uint8Array, content: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEADER.length + size.length + content.length)
  bytes.set(HEADER)
  bytes.set(size, HEADER.length)
  bytes.set(content, HEADER.length + size.length)
  return bytes
}

/** Options of {@link signMessage}. */
export type SignMessageOptions = BackendOption & {
  /**
   * Which of the keys signs.
   *
   * @defaultValue the first
   */
  readonly address?: AddressArgument | undefined
}

const signOptions: Check<SignMessageOptions> = /* @__PURE__ */ object<SignMessageOptions>({
  address: optional(address),
  backend: backendOption,
})

/**
 * Signs a message as the Ledger app, Core and the former web wallet do. The result is the 65 bytes `r‖s‖v` in cb58.
 *
 * @throws CryptoError `KEY_UNKNOWN`
 *
 * @example
 * const signature = signMessage('I own this address', keys)
 * verifyMessage('I own this address', signature, { address: 'X-avax14x5a42stua94l2vxjcag6c9ftd8ea0y8fltdwv' })
 */
export function signMessage(
  message: string | Uint8Array,
  givenKeys: Keys,
  givenOptions: SignMessageOptions = {},
): string {
  const hash = sha256(encodeMessage(message))
  const keys = argument('signMessage', givenKeys, keysArgument, 'keys')
  const { address: chosen, backend } = argument('signMessage', givenOptions, signOptions)
  const signer = chosen === undefined ? keys.addresses[0] : addressBytes(chosen)
  if (signer === undefined || !keys.has(signer))
    throw new CryptoError('KEY_UNKNOWN', 'the keys do not include that of the address')
  const signature = keys.sign(signer, hash, undefined, backend)
  // Keys may be anything: a signature that others reject must not leave.
  return cb58.encode(normalizeSignature(signature, { hash, signer, backend }))
}

/** Options of {@link verifyMessage}. */
export type VerifyMessageOptions = BackendOption & {
  /** Who should have signed. */
  readonly address: AddressArgument
}

const verifyOptions: Check<VerifyMessageOptions> = /* @__PURE__ */ object<VerifyMessageOptions>({
  address,
  backend: backendOption,
})

/**
 * Verifies a signature of a message: bytes in any format of `normalizeSignature`, or these in cb58 or hex.
 *
 * The former web wallet and its copies put the length into a text first. This replaces its bytes of 0x80 and more, which
 * lengths from 128 have, by U+FFFD. Signatures of texts made so verify, too.
 *
 * @throws MessageError
 */
export function verifyMessage(
  message: string | Uint8Array,
  givenSignature: string | Uint8Array,
  givenOptions: VerifyMessageOptions,
): void {
  const content = contentOf('verifyMessage', message)
  const options = argument('verifyMessage', givenOptions, verifyOptions)
  const signer = addressBytes(options.address)
  const signature = signatureBytes(
    argument('verifyMessage', givenSignature, messageArgument, 'signature'),
  )
  const encodings = [encodeMessage(content)]
  if (typeof message === 'string') encodings.push(encodedAsText(content))
  if (encodings.some((bytes) => isSignedBy(signer, sha256(bytes), signature, options))) return
  throw new MessageError('MESSAGE_SIGNER', 'another key has signed, or another message')
}

/** Messages are signed by keys, which have the same address on every chain and network. */
function addressBytes(given: AddressArgument): Uint8Array {
  return typeof given === 'string' ? readAddress(given).address : given
}

function isSignedBy(
  signer: Uint8Array,
  hash: Uint8Array,
  signature: Uint8Array,
  { backend }: BackendOption,
): boolean {
  try {
    normalizeSignature(signature, { hash, signer, backend })
    return true
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause
    if (cause.code === 'WRONG_SIGNER') return false
    throw new MessageError('MESSAGE_SIGNATURE', `invalid signature: ${cause.message}`, { cause })
  }
}

function encodedAsText(content: Uint8Array): Uint8Array {
  const size = new Uint8Array(4)
  new DataView(size.buffer).setUint32(0, content.length)
  return framed(new TextEncoder().encode(new TextDecoder().decode(size)), content)
}

/** @throws MessageError `MESSAGE_SIGNATURE` */
function signatureBytes(given: string | Uint8Array): Uint8Array {
  if (typeof given !== 'string') return given
  try {
    return /^(0x)?([0-9a-f]{2}){64,72}$/i.test(given) ? hex.decode(given) : cb58.decode(given)
  } catch (cause) {
    throw new MessageError('MESSAGE_SIGNATURE', 'the signature is neither cb58 nor hex', { cause })
  }
}
