import { verifyDelivery, WebhookVerificationError } from '@shorty/webhook-verifier';
import { createDeduper } from '@shorty/webhook-verifier/dedupe';

const secret = process.env.SHORTY_WEBHOOK_SECRET;
const deduper = createDeduper();

export async function POST(request) {
  try {
    const { event, deliveryId } = await verifyDelivery(request, { secret });
    await deduper.once(deliveryId, () => console.log(event.type));
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return Response.json({ error }, { status: error.statusCode });
  }
}
