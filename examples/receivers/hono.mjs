import { serve } from '@hono/node-server';
import { honoWebhook, webhookDelivery } from '@shorty/webhook-verifier/hono';
import { Hono } from 'hono';

const secret = process.env.SHORTY_WEBHOOK_SECRET;
const app = new Hono();

app.post('/hook', honoWebhook({ secret }), (c) => {
  console.log(webhookDelivery(c).event.type);
  return c.body(null, 204);
});

serve({ fetch: app.fetch, port: 3000 });
