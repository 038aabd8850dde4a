import { verifyRequest, WebhookVerificationError } from '@shorty/webhook-verifier';

export async function POST(request) {
  try {
    const event = await verifyRequest(request, { secret: process.env.SHORTY_WEBHOOK_SECRET });
    console.log(event.type);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return Response.json({ error }, { status: error.statusCode });
  }
}
