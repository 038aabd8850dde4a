import { verifyRequest, WebhookVerificationError } from '@shorty/webhook-verifier';

Deno.serve({ port: 3000 }, async (request) => {
  try {
    const secret = Deno.env.get('SHORTY_WEBHOOK_SECRET');
    const event = await verifyRequest(request, { secret });
    console.log(event.type);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return Response.json({ error }, { status: error.statusCode });
  }
});
