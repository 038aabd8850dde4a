// Receives webhooks with Express: verifies each delivery, and handles each delivery once.
// Reads WEBHOOK_SECRET and PORT (4000 by default).
import { createDeduper } from '@shorty/webhook-verifier/dedupe';
import { expressWebhook, webhookDelivery } from '@shorty/webhook-verifier/express';
import express from 'express';

const secret = process.env.WEBHOOK_SECRET;
const deduper = createDeduper();
const app = express();

app.post('/', express.raw({ type: () => true }), expressWebhook({ secret }), async (req, res) => {
  const { event, deliveryId } = webhookDelivery(req);
  await deduper.once(deliveryId, () => console.log(event.type, JSON.stringify(event.data)));
  res.status(204).end();
});

const server = app.listen(Number(process.env.PORT ?? 4000), () => {
  console.log(`waiting for webhooks on port ${server.address().port}`);
});
