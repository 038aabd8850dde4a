import { http } from '@google-cloud/functions-framework';
import { verifyWebhook, WebhookVerificationError } from '@shorty/webhook-verifier';

const secret = process.env.SHORTY_WEBHOOK_SECRET;

http('hook', (request, response) => {
  try {
    const { headers, rawBody } = request;
    const event = verifyWebhook({ body: rawBody ?? '', headers, secret });
    console.log(event.type);
    response.status(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(error.statusCode).json({ error });
  }
});
