export {
  type HonoWebhookContext,
  type HonoWebhookMiddleware,
  honoWebhook,
} from './adapters/hono.js';
export {
  createDeduper,
  type DedupeOptions,
  type Deduper,
  type DedupeState,
  type DedupeStore,
} from './dedupe.js';
export { type WebhookDelivery, webhookDelivery } from './delivery.js';
export { WebhookVerificationError, type WebhookVerificationErrorCode } from './errors.js';
export type {
  DomainEventData,
  QrEventData,
  ThresholdEventData,
  UrlEventData,
  WebhookEvent,
  WebhookEventData,
  WebhookEventType,
} from './event.js';
export type { VerifyOptions } from './options.js';
export type { RawBody } from './raw-bytes.js';
export type { WebhookHeaders } from './signed-headers.js';
export { verifyRequest, type WebhookRequest } from './verify-request.js';
