import { list, type Members, optional, text } from '../../core/base/argument.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { WalletError } from '../errors.ts'
import type { ClaimedPayment } from '../store/store.ts'
import { type Content, contentDigest, encodeContent } from './content.ts'

/**
 * Idempotency keys: the caller's names for payments. With a durable store, a payment is made at most once per key,
 * however often and after whatever interruption it is asked for.
 */
export type PaymentKeys = {
  /** For a call that makes one payment. */
  readonly key?: string | undefined
  /** For a call that makes several: exactly one key for each output, in their order. */
  readonly keys?: readonly string[] | undefined
}

/** Members of calls that take keys. */
export const paymentKeys: Members<PaymentKeys> = {
  key: optional(text),
  keys: optional(list(text)),
}

/** Longest idempotency key, in UTF-16 code units. */
const MAX_KEY_LENGTH = 256

/** Prefix of the keys that are generated for payments without a caller's key. */
const GENERATED_PREFIX = 'auto-'

/**
 * Reads the keys of a call and binds each to the content of its payment.
 *
 * @throws WalletError `BAD_KEY`, `KEYS_REPEATED`
 */
export function claimedPayments(
  { key, keys }: PaymentKeys,
  contents: readonly Content[],
  context: NetworkContext,
): ClaimedPayment[] {
  if (key !== undefined && keys !== undefined) throw badKey('give either key or keys, not both')
  if (keys === undefined) {
    const content = contents.length === 1 ? contents[0]! : joinedContent(contents)
    if (key === undefined)
      return [{ ...claimedPayment(generatedKey(), content, context), generated: true }]
    requireKey(key)
    return [claimedPayment(key, content, context)]
  }
  if (keys.length !== contents.length)
    throw badKey(`${contents.length} payments need ${contents.length} keys, got ${keys.length}`)
  requireKeys(keys)
  return contents.map((content, i) => claimedPayment(keys[i]!, content, context))
}

function claimedPayment(key: string, content: Content, context: NetworkContext): ClaimedPayment {
  return { key, digest: contentDigest(content, context), content: encodeContent(content) }
}

/** The content of each payment that {@link claimedPayments} returns, in their order. */
export function paymentContents(
  { keys }: PaymentKeys,
  contents: readonly Content[],
): readonly Content[] {
  return keys !== undefined || contents.length === 1 ? contents : [joinedContent(contents)]
}

/**
 * Checks the keys of a call that makes several payments.
 *
 * @throws WalletError `BAD_KEY`, `KEYS_REPEATED`
 */
export function requireKeys(keys: readonly string[]): void {
  for (const key of keys) requireKey(key)
  requireDistinctKeys(keys)
}

/** @throws WalletError `BAD_KEY` unless it is a key that a caller may use */
function requireKey(key: string): void {
  requireKeyText(key)
  if (isGeneratedKey(key))
    throw badKey(`keys that begin with ${GENERATED_PREFIX} are reserved for generated ones`)
}

/** @throws WalletError `BAD_KEY` unless it is a text that can be a key */
export function requireKeyText(key: string): void {
  if (key.length === 0 || key.length > MAX_KEY_LENGTH)
    throw badKey(`a key has 1 to ${MAX_KEY_LENGTH} characters, got ${key.length}`)
  if (/\p{Surrogate}/u.test(key)) throw badKey('a key must be well-formed Unicode')
}

function requireDistinctKeys(keys: readonly string[]): void {
  const seen = new Set<string>()
  const repeated = new Set(keys.filter((key) => seen.size === seen.add(key).size))
  if (repeated.size > 0)
    throw new WalletError('KEYS_REPEATED', `${repeated.size} keys are given more than once`, {
      keys: [...repeated],
      hint: 'nothing was signed',
    })
}

function badKey(message: string): WalletError {
  return new WalletError('BAD_KEY', message, { hint: 'nothing was signed' })
}

/** Several payments under one key. */
function joinedContent(contents: readonly Content[]): Content {
  return { kind: contents[0]!.kind, parts: contents.flatMap(({ parts }) => parts) }
}

/** Whether a key was generated. Its record need not say so: one that counts for sums of a policy is kept like others. */
export function isGeneratedKey(key: string): boolean {
  return key.startsWith(GENERATED_PREFIX)
}

function generatedKey(): string {
  return GENERATED_PREFIX + hex.encode(crypto.getRandomValues(new Uint8Array(16)))
}
