import { verifyRequest, WebhookVerificationError } from '@shorty/webhook-verifier';

export const config = { api: { bodyParser: false } };

export default async function hook(request, response) {
  const { headers } = request;
  try {
    const secret = process.env.SHORTY_WEBHOOK_SECRET;
    // Next.js sets `request.body`, so the stream is passed as the body.
    const event = await verifyRequest({ headers, body: request }, { secret });
    console.log(event.type);
    response.status(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(error.statusCode).json({ error });
  }
}
