export { ServiceError, type ServiceErrorCode } from './errors.ts'
export type { ServiceOptions } from './options.ts'
export type { Rate } from './rate.ts'
export { type CustodyService, serveCustody } from './server.ts'
export {
  type NewToken,
  openTokens,
  type Role,
  type ServiceTables,
  type TokenInfo,
  type Tokens,
} from './tokens.ts'
export type { Webhook, WebhookLimits, WebhookTopic } from './webhooks/options.ts'
export {
  type DeadMessage,
  openWebhooks,
  type ReplayOptions,
  type WebhookInfo,
  type Webhooks,
} from './webhooks/webhooks.ts'
