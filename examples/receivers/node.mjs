import { createServer } from 'node:http';
import { verifyRequest, WebhookVerificationError } from '@shorty/webhook-verifier';

const secret = process.env.SHORTY_WEBHOOK_SECRET;

createServer(async (request, response) => {
  try {
    const event = await verifyRequest(request, { secret });
    console.log(event.type);
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) console.error(error);
    response.writeHead(error.statusCode ?? 500).end();
  }
}).listen(3000);
