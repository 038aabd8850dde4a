export * from './web.js';

// The modules of the line above come first in a bundle, which makes it nine bytes smaller.

export {
  type SignedWebhook,
  type SignOptions,
  signBody,
  signWebhook,
  type WebhookEventInput,
} from './sign-webhook.js';
export {
  type VerifyInput,
  verifyRequest,
  verifySignature,
  verifyWebhook,
} from './verify-webhook.js';
