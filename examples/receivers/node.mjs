import { createServer } from 'node:http';
import { verifyDelivery, WebhookVerificationError } from '@shorty/webhook-verifier';
import { createDeduper } from '@shorty/webhook-verifier/dedupe';

const secret = process.env.SHORTY_WEBHOOK_SECRET;
const deduper = createDeduper();

createServer(async (request, response) => {
  try {
    const { event, deliveryId } = await verifyDelivery(request, { secret });
    await deduper.once(deliveryId, () => console.log(event.type));
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) console.error(error);
    response.writeHead(error.statusCode ?? 500).end();
  }
}).listen(3000);
