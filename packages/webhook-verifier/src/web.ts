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
