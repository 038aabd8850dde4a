// Receives webhooks with Hono: verifies each delivery, and handles each delivery once.
// Reads WEBHOOK_SECRET and PORT (4000 by default).
import { serve } from '@hono/node-server';
import { createDeduper } from '@shorty/webhook-verifier/dedupe';
import { honoWebhook, webhookDelivery } from '@shorty/webhook-verifier/hono';
import { Hono } from 'hono';

const secret = process.env.WEBHOOK_SECRET;
const deduper = createDeduper();
const app = new Hono();

app.post('/', honoWebhook({ secret }), async (c) => {
  const { event, deliveryId } = webhookDelivery(c);
  await deduper.once(deliveryId, () => console.log(event.type, JSON.stringify(event.data)));
  return c.body(null, 204);
});

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 4000) }, ({ port }) => {
  console.log(`waiting for webhooks on port ${port}`);
});
