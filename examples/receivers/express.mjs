import { createDeduper } from '@shorty/webhook-verifier/dedupe';
import { expressWebhook, webhookDelivery } from '@shorty/webhook-verifier/express';
import express from 'express';

const secret = process.env.SHORTY_WEBHOOK_SECRET;
const deduper = createDeduper();
const app = express();

// `type` is a function, because '*/*' skips a request without Content-Type.
const raw = express.raw({ type: () => true, limit: '1mb' });
app.post('/hook', raw, expressWebhook({ secret }), (req, res, next) => {
  const { event, deliveryId } = webhookDelivery(req);
  const once = deduper.once(deliveryId, () => console.log(event.type));
  // Express 4 does not wait for promises.
  once.then(() => res.status(204).end()).catch(next);
});
app.use(express.json()); // after the hook

app.listen(3000);
