import { expressWebhook, webhookDelivery } from '@shorty/webhook-verifier/express';
import express from 'express';

const secret = process.env.SHORTY_WEBHOOK_SECRET;
const app = express();

// `type` is a function, because '*/*' skips a request without Content-Type.
const raw = express.raw({ type: () => true, limit: '1mb' });
app.post('/hook', raw, expressWebhook({ secret }), (req, res) => {
  console.log(webhookDelivery(req).event.type);
  res.status(204).end();
});
app.use(express.json()); // after the hook

app.listen(3000);
