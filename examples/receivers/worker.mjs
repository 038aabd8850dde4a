import { verifyDelivery, WebhookVerificationError } from '@shorty/webhook-verifier';
import { createDeduper } from '@shorty/webhook-verifier/dedupe';

// In the memory of one instance: pass a store if the platform starts several.
const deduper = createDeduper();

export default {
  async fetch(request, env) {
    try {
      const secret = env.SHORTY_WEBHOOK_SECRET;
      const { event, deliveryId } = await verifyDelivery(request, { secret });
      await deduper.once(deliveryId, () => console.log(event.type));
      return new Response(null, { status: 204 });
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return Response.json({ error }, { status: error.statusCode });
    }
  },
};
