// Receives webhooks with Node only: verifies each delivery, and handles each delivery once.
// Reads WEBHOOK_SECRET and PORT (4000 by default).
import { createServer } from 'node:http';
import { verifyWebhook, WebhookVerificationError } from '@shorty/webhook-verifier';
import { createDeduper } from '@shorty/webhook-verifier/dedupe';

const secret = process.env.WEBHOOK_SECRET;
const deduper = createDeduper();

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secret });
    const deliveryId = request.headers['x-service-delivery-id'] ?? event.id;
    await deduper.once(deliveryId, () => console.log(event.type, JSON.stringify(event.data)));
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.error(`refused: ${error.message}`);
    response.writeHead(error.statusCode).end();
  }
});
server.listen(Number(process.env.PORT ?? 4000), () => {
  console.log(`waiting for webhooks on port ${server.address().port}`);
});
