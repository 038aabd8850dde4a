import { createDeduper } from '@shorty/webhook-verifier/dedupe';
import { fastifyWebhook, webhookDelivery } from '@shorty/webhook-verifier/fastify';
import fastify from 'fastify';

const secret = process.env.SHORTY_WEBHOOK_SECRET;
const deduper = createDeduper();
const app = fastify();

// A separate scope: in it, every body stays raw and every request is verified.
app.register(async (hooks) => {
  hooks.register(fastifyWebhook({ secret }));
  hooks.post('/hook', async (request, reply) => {
    const { event, deliveryId } = webhookDelivery(request);
    await deduper.once(deliveryId, () => console.log(event.type));
    return reply.code(204).send();
  });
});

await app.listen({ port: 3000 });
