// @hulaki/client: sends SMS and OTPs through a Hulaki service with safe retries, and verifies its webhooks.
export { type CallOptions, Hulaki, type HulakiOptions, type WaitOptions } from './client.ts'
export { type Deliveries, RecentDeliveries } from './deliveries.ts'
export { HulakiError, type LocalCode, type ServiceCode } from './error.ts'
export type { Machine } from './machine.ts'
export type * from './types.ts'
export {
  type HeadersLike,
  type Verified,
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  WebhookRefused,
} from './webhook.ts'
