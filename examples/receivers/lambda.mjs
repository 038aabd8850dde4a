import { verifyDelivery, WebhookVerificationError } from '@shorty/webhook-verifier';
import { createDeduper } from '@shorty/webhook-verifier/dedupe';

const secret = process.env.SHORTY_WEBHOOK_SECRET;
// In the memory of one instance: pass a store if the platform starts several.
const deduper = createDeduper();

export async function handler({ headers, body, isBase64Encoded }) {
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  try {
    const { event, deliveryId } = await verifyDelivery({ headers, body: bytes }, { secret });
    await deduper.once(deliveryId, () => console.log(event.type));
    return { statusCode: 204 };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return { statusCode: error.statusCode, body: JSON.stringify({ error }) };
  }
}
