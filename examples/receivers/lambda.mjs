import { verifyWebhook, WebhookVerificationError } from '@shorty/webhook-verifier';

const secret = process.env.SHORTY_WEBHOOK_SECRET;

export async function handler({ headers, body, isBase64Encoded }) {
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  try {
    const event = verifyWebhook({ body: bytes, headers, secret });
    console.log(event.type);
    return { statusCode: 204 };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return { statusCode: error.statusCode, body: JSON.stringify({ error }) };
  }
}
