// Receives webhooks with Node only: verifies each delivery, and handles each delivery once.
// Reads SHORTY_WEBHOOK_SECRET and PORT (4000 by default).
import { createServer } from 'node:http';
import { verifyDelivery, WebhookVerificationError } from '@shorty/webhook-verifier';
import { createDeduper } from '@shorty/webhook-verifier/dedupe';

const secret = process.env.SHORTY_WEBHOOK_SECRET;
const deduper = createDeduper();

const server = createServer(async (request, response) => {
  try {
    // Not the id of the event, which a replay has, too.
    const { event, deliveryId } = await verifyDelivery(request, { secret });
    await deduper.once(deliveryId, () => console.log(event.type, JSON.stringify(event.data)));
    response.writeHead(204).end();
  } catch (error) {
    const isRefused = error instanceof WebhookVerificationError;
    console.error(isRefused ? `refused: ${error.message}` : error);
    // 500: the work failed. The server sends the delivery again.
    response.writeHead(isRefused ? error.statusCode : 500).end();
  }
});
server.listen(Number(process.env.PORT ?? 4000), () => {
  console.log(`waiting for webhooks on port ${server.address().port}`);
});
