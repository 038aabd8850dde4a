import { serve } from '@hono/node-server';
import { createDeduper } from '@shorty/webhook-verifier/dedupe';
import { honoWebhook, webhookDelivery } from '@shorty/webhook-verifier/hono';
import { Hono } from 'hono';

const secret = process.env.SHORTY_WEBHOOK_SECRET;
const deduper = createDeduper();
const app = new Hono();

app.post('/hook', honoWebhook({ secret }), async (c) => {
  const { event, deliveryId } = webhookDelivery(c);
  await deduper.once(deliveryId, () => console.log(event.type));
  return c.body(null, 204);
});

serve({ fetch: app.fetch, port: 3000 });
