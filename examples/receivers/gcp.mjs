import { http } from '@google-cloud/functions-framework';
import { verifyDelivery, WebhookVerificationError } from '@shorty/webhook-verifier';
import { createDeduper } from '@shorty/webhook-verifier/dedupe';

const secret = process.env.SHORTY_WEBHOOK_SECRET;
// In the memory of one instance: pass a store if the platform starts several.
const deduper = createDeduper();

http('hook', async (request, response) => {
  try {
    const { headers, rawBody } = request;
    const delivery = { headers, body: rawBody ?? '' };
    const { event, deliveryId } = await verifyDelivery(delivery, { secret });
    await deduper.once(deliveryId, () => console.log(event.type));
    response.status(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(error.statusCode).json({ error });
  }
});
