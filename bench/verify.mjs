// The verifier on bodies of 512 bytes, against the shortest receiver that node:crypto allows, and
// against standardwebhooks on bodies with its own signatures.
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

export async function benchVerify({ count = 60_000, runs = 15 } = {}) {
  const data = { id: '1', shortCode: 'aB3xY9q', targetUrl: '', organizationId: '' };
  const draft = { type: 'url.created', data };
  const missing = bodyBytes - signWebhook(draft, { secret }).body.length;
  const signed = signWebhook(
    { ...draft, data: { ...data, targetUrl: 'x'.repeat(missing) } },
    { secret },
  );
  const body = Buffer.from(signed.body);
  if (body.length !== bodyBytes) throw new Error(`the body has ${body.length} bytes`);
  // As node:http returns them, with those of the connection.
  const headers = {
    host: 'receiver.example.com',
    connection: 'keep-alive',
    'content-length': String(bodyBytes),
    ...Object.fromEntries(
      Object.entries(signed.headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  };
  const timestamp = signed.headers['X-Service-Timestamp'];

  // `verifySignature` parses no body, like the shortest receiver: it checks the age, and compares one
  // signature of one header by one secret. `verifyWebhook` and standardwebhooks return the parsed body.
  const checked = async () => rateOf(count, () => verifySignature({ body, headers, secret }));
  const parsed = async () => rateOf(count, () => verifyWebhook({ body, headers, secret }));
  const bare = async () =>
    rateOf(count, () => {
      const seconds = headers['x-service-timestamp'];
      const isRecent = Math.abs(Date.now() / 1000 - Number(seconds)) <= 300;
      const given = Buffer.from(headers['x-service-signature'].slice('sha256='.length), 'hex');
      const mac = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
      if (!isRecent || given.length !== mac.length || !timingSafeEqual(mac, given)) {
        throw new Error('the delivery is refused');
      }
    });
  const other = new Webhook(`whsec_${Buffer.from(secret).toString('base64')}`);
  const otherHeaders = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': other.sign('msg_1', new Date(Number(timestamp) * 1000), signed.body),
  };
  const standard = async () => rateOf(count / 4, () => other.verify(signed.body, otherHeaders));

  report(
    'verifySignature, 512 bytes, beside the shortest receiver',
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
