// The verifier on bodies of 512 bytes, against node:crypto on the same bytes, and against
// standardwebhooks on bodies with its own signatures.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import {
  signWebhook,
  verifySignature,
  verifyWebhook,
} from '../packages/webhook-verifier/dist/index.js';
import { compare, report } from './lib/ratio.mjs';

const secret = `shorty_ws_${randomBytes(32).toString('base64url')}`;
const bodyBytes = 512;

const rateOf = (count, work) => {
  const startedAt = performance.now();
  for (let turn = 0; turn < count; turn += 1) work();
  return (count / (performance.now() - startedAt)) * 1000;
};

export async function benchVerify({ count = 60_000, runs = 9 } = {}) {
  const data = { id: '1', shortCode: 'aB3xY9q', targetUrl: '', organizationId: '' };
  const draft = { type: 'url.created', data };
  const missing = bodyBytes - signWebhook(draft, { secret }).body.length;
  const signed = signWebhook(
    { ...draft, data: { ...data, targetUrl: 'x'.repeat(missing) } },
    { secret },
  );
  const body = Buffer.from(signed.body);
  if (body.length !== bodyBytes) throw new Error(`the body has ${body.length} bytes`);
  const headers = Object.fromEntries(
    Object.entries(signed.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const timestamp = signed.headers['X-Service-Timestamp'];
  const signature = Buffer.from(signed.headers['X-Service-Signature'].slice(7), 'hex');

  // `verifySignature` parses no body, like bare node:crypto. `verifyWebhook` and standardwebhooks
  // return the parsed body.
  const checked = async () => rateOf(count, () => verifySignature({ body, headers, secret }));
  const parsed = async () => rateOf(count, () => verifyWebhook({ body, headers, secret }));
  const bare = async () =>
    rateOf(count, () => {
      const mac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
      if (!timingSafeEqual(mac, signature)) throw new Error('the signatures differ');
    });
  const other = new Webhook(`whsec_${Buffer.from(secret).toString('base64')}`);
  const otherHeaders = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': other.sign('msg_1', new Date(Number(timestamp) * 1000), signed.body),
  };
  const standard = async () => rateOf(count / 4, () => other.verify(signed.body, otherHeaders));

  report(
    'verifySignature, 512 bytes, beside bare node:crypto',
    await compare({ ceiling: bare, ours: checked, runs }),
    0.8,
    'a second',
  );
  report(
    'verifySignature, 512 bytes, beside standardwebhooks',
    await compare({ ceiling: standard, ours: checked, runs }),
    2,
    'a second',
  );
  report(
    'verifyWebhook, 512 bytes, beside standardwebhooks',
    await compare({ ceiling: standard, ours: parsed, runs }),
    2,
    'a second',
  );
}
