// Sends a signed url.created webhook, to test a receiver without a server.
// Reads SHORTY_WEBHOOK_SECRET and RECEIVER_URL (http://localhost:4000 by default).
import { signWebhook } from '@shorty/webhook-verifier';

const { headers, body } = signWebhook(
  {
    type: 'url.created',
    data: {
      id: '42',
      shortCode: 'aB3xY9q',
      targetUrl: 'https://example.com',
      organizationId: '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47',
    },
  },
  { secret: process.env.SHORTY_WEBHOOK_SECRET },
);
const receiver = process.env.RECEIVER_URL ?? 'http://localhost:4000';
const { status } = await fetch(receiver, { method: 'POST', headers, body });
console.log(`answered ${status}`);
