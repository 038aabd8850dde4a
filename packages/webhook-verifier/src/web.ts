export type { WebhookDelivery } from './delivery.js';
export { WebhookVerificationError, type WebhookVerificationErrorCode } from './errors.js';
export type { WebhookEvent, WebhookEventType } from './event.js';
export type * from './generated/event-data.js';
export type { VerifyOptions, VerifyRequestOptions } from './options.js';
export type { RawBody } from './raw-bytes.js';
export type { WebhookRequest } from './read-body.js';
export type { WebhookHeaders } from './signed-headers.js';
export { verifyDelivery, verifyRequest } from './verify-request.js';
