import { app } from '@azure/functions';
import { verifyDelivery, WebhookVerificationError } from '@shorty/webhook-verifier';
import { createDeduper } from '@shorty/webhook-verifier/dedupe';

const secret = process.env.SHORTY_WEBHOOK_SECRET;
// In the memory of one instance: pass a store if the platform starts several.
const deduper = createDeduper();

app.http('hook', {
  methods: ['POST'],
  authLevel: 'anonymous',
  async handler(request, context) {
    try {
      const { event, deliveryId } = await verifyDelivery(request, { secret });
      await deduper.once(deliveryId, () => context.log(event.type));
      return { status: 204 };
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return { status: error.statusCode, jsonBody: { error } };
    }
  },
});
