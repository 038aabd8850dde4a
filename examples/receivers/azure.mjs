import { app } from '@azure/functions';
import { verifyRequest, WebhookVerificationError } from '@shorty/webhook-verifier';

const secret = process.env.SHORTY_WEBHOOK_SECRET;

app.http('hook', {
  methods: ['POST'],
  authLevel: 'anonymous',
  async handler(request, context) {
    try {
      const event = await verifyRequest(request, { secret });
      context.log(event.type);
      return { status: 204 };
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return { status: error.statusCode, jsonBody: { error } };
    }
  },
});
