export {
  type SignedWebhook,
  type SignOptions,
  signBody,
  signWebhook,
  type WebhookEventInput,
} from './sign-webhook.js';
export { type VerifyInput, verifySignature, verifyWebhook } from './verify-webhook.js';
export * from './web.js';
