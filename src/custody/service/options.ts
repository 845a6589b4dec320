import {
  type Check,
  capability,
  fn,
  integerFrom,
  object,
  optional,
  text,
} from '../../core/base/argument.ts'
import { databaseArgument } from '../database/database.ts'
import type { Custody, Log } from '../index.ts'
import { seconds } from '../operations/metrics.ts'
import type { Rate } from './rate.ts'
import type { ServiceTables } from './tokens.ts'
import {
  type Webhook,
  type WebhookLimits,
  webhookLimits,
  webhooksOption,
} from './webhooks/options.ts'

/** Options of `serveCustody`. `database` and `schema` are those of the custody system. */
export type ServiceOptions = ServiceTables & {
  readonly custody: Custody
  /**
   * Address to listen on. Without `tls`, listen on other addresses than loopback only behind a proxy that encrypts.
   *
   * @defaultValue `127.0.0.1`
   */
  readonly host?: string | undefined
  /** @defaultValue chosen by the system */
  readonly port?: number | undefined
  /** Certificate chain and private key as PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  /**
   * Requests that each token may make.
   *
   * @defaultValue 10,000 per second
   */
  readonly rate?: Rate | undefined
  /** @defaultValue 1 MiB */
  readonly maxBodyBytes?: number | undefined
  /**
   * Time in which a request must have arrived, in milliseconds; its headers in at most 10,000.
   *
   * @defaultValue 30,000
   */
  readonly requestMs?: number | undefined
  /**
   * Maximum number of seconds since all blocks were applied; after that `/health` fails.
   *
   * @defaultValue 60
   */
  readonly maxLagSeconds?: number | undefined
  /**
   * Receivers of webhooks.
   *
   * @defaultValue none
   */
  readonly webhooks?: readonly Webhook[] | undefined
  /** Times and sizes of deliveries that differ from the default ones. */
  readonly webhookLimits?: WebhookLimits | undefined
  /** Receives failures of requests and deliveries, with details that clients do not see. */
  readonly log?: Log | undefined
}

const count = integerFrom(1, 2 ** 31 - 1)

/** Describes the options of `serveCustody`. */
export const serviceOptions: Check<ServiceOptions> = object<ServiceOptions>({
  custody: capability<Custody>(
    'a custody system',
    'actingFor',
    'requestEach',
    'deposits',
    'status',
  ),
  database: databaseArgument,
  schema: optional(text),
  host: optional(text),
  port: optional(integerFrom(0, 65_535)),
  tls: optional(object<{ cert: string; key: string }>({ cert: text, key: text })),
  rate: optional(object<Rate>({ perSecond: count, burst: count })),
  maxBodyBytes: optional(count),
  requestMs: optional(count),
  maxLagSeconds: optional(seconds),
  webhooks: optional(webhooksOption),
  webhookLimits: optional(webhookLimits),
  log: optional(fn<Log>()),
})
