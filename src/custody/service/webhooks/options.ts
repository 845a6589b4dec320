import {
  type Check,
  integerFrom,
  invalid,
  list,
  object,
  oneOf,
  optional,
  text,
} from '../../../core/base/argument.ts'
import { ServiceError } from '../errors.ts'
import { secretKey } from './signature.ts'

/** What a webhook is told about: changes of deposits (corrections included), payouts and problems. */
export type WebhookTopic = 'deposit' | 'payout' | 'problem'

/** A receiver of webhooks. */
export type Webhook = {
  /** Name of the receiver in the database. Deliveries continue where those of the same name have ended. */
  readonly name: string
  /** `https:`, or `http:` of a loopback address. */
  readonly url: string
  /** `whsec_…`; while a secret is replaced, the new one and the old one. */
  readonly secrets: readonly string[]
  /** @defaultValue all */
  readonly topics?: readonly WebhookTopic[] | undefined
}

/** Times and sizes of deliveries. */
export type WebhookLimits = {
  /**
   * Time in which the receiver must have answered, in milliseconds.
   *
   * @defaultValue 15,000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Messages that are delivered at the same time.
   *
   * @defaultValue 32
   */
  readonly concurrency?: number | undefined
  /**
   * Seconds before each further attempt. After the last one the message is dead.
   *
   * @defaultValue 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h
   */
  readonly retrySeconds?: readonly number[] | undefined
}

const TOPICS: readonly WebhookTopic[] = ['deposit', 'payout', 'problem']

const name: Check<string> = (value, at) => {
  const word = text(value, at)
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(word))
    throw invalid(value, at, '1 to 64 letters, digits, dots, dashes and underscores')
  return word
}

const LOOPBACK = /^(localhost|127(\.[0-9]{1,3}){3}|\[::1\])$/

/** The content of messages is about customers, so it is not sent in the clear. */
const url: Check<string> = (value, at) => {
  const given = text(value, at)
  const parsed = URL.canParse(given) ? new URL(given) : undefined
  const isAllowed =
    parsed !== undefined &&
    parsed.username === '' &&
    parsed.password === '' &&
    (parsed.protocol === 'https:' ||
      (parsed.protocol === 'http:' && LOOPBACK.test(parsed.hostname)))
  if (!isAllowed)
    throw new ServiceError(
      'WEBHOOK_INVALID',
      `${at.path}: must be an https URL without a user, or an http URL of a loopback address`,
    )
  return given
}

const secrets: Check<readonly string[]> = (value, at) => {
  const given = list(text)(value, at)
  if (given.length === 0) throw invalid(value, at, 'at least one secret')
  for (const secret of given) secretKey(secret)
  return given
}

/** Describes the option `webhooks`. */
export const webhooksOption: Check<readonly Webhook[]> = (value, at) => {
  const hooks = list(
    object<Webhook>({ name, url, secrets, topics: optional(list(oneOf(...TOPICS))) }),
  )(value, at)
  if (new Set(hooks.map((hook) => hook.name)).size < hooks.length)
    throw invalid(value, at, 'webhooks with different names')
  return hooks
}

const seconds = integerFrom(0, 30 * 86_400)

/** Describes the option `webhookLimits`. */
export const webhookLimits: Check<WebhookLimits> = object<WebhookLimits>({
  timeoutMs: optional(integerFrom(1, 600_000)),
  concurrency: optional(integerFrom(1, 1_000)),
  retrySeconds: optional(list(seconds)),
})
