// Receives webhooks with Fastify: verifies each delivery, and handles each delivery once.
// Reads WEBHOOK_SECRET and PORT (4000 by default).
import { createDeduper } from '@shorty/webhook-verifier/dedupe';
import { fastifyWebhook, webhookDelivery } from '@shorty/webhook-verifier/fastify';
import fastify from 'fastify';

const secret = process.env.WEBHOOK_SECRET;
const deduper = createDeduper();
const app = fastify();

// A separate scope. In it, bodies are raw bytes, and every request is verified.
app.register(async (hooks) => {
  hooks.register(fastifyWebhook({ secret }));
  hooks.post('/', async (request, reply) => {
    const { event, deliveryId } = webhookDelivery(request);
    await deduper.once(deliveryId, () => console.log(event.type, JSON.stringify(event.data)));
    return reply.code(204).send();
  });
});

await app.listen({ port: Number(process.env.PORT ?? 4000) });
console.log(`waiting for webhooks on port ${app.server.address().port}`);
