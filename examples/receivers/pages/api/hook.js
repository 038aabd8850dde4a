import { verifyDelivery, WebhookVerificationError } from '@shorty/webhook-verifier';
import { createDeduper } from '@shorty/webhook-verifier/dedupe';

const secret = process.env.SHORTY_WEBHOOK_SECRET;
const deduper = createDeduper();

export const config = { api: { bodyParser: false } };

export default async function hook(request, response) {
  const { headers } = request;
  try {
    // Next.js sets `request.body`, so the stream is passed as the body.
    const { event, deliveryId } = await verifyDelivery({ headers, body: request }, { secret });
    await deduper.once(deliveryId, () => console.log(event.type));
    response.status(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(error.statusCode).json({ error });
  }
}
