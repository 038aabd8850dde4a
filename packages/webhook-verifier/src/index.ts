export {
  type ExpressWebhookMiddleware,
  type ExpressWebhookRequest,
  type ExpressWebhookResponse,
  expressWebhook,
} from './adapters/express.js';
export {
  type FastifyWebhookPlugin,
  type FastifyWebhookRequest,
  type FastifyWebhookScope,
  fastifyWebhook,
} from './adapters/fastify.js';
export {
  type SignedWebhook,
  type SignOptions,
  signBody,
  signWebhook,
  type WebhookEventInput,
} from './sign-webhook.js';
export { type VerifyInput, verifySignature, verifyWebhook } from './verify-webhook.js';
export * from './web.js';
