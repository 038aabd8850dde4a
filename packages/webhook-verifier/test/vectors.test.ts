import { expect, it } from 'vitest';
import { verifySignature, verifyWebhook } from '../src/index.js';
import { verifyRequest } from '../src/web.js';
import { codeOf } from './sample.js';
import file from './vectors.json' with { type: 'json' };

it.each(file.vectors)('both verifiers accept: $name', async ({ secret, timestamp, ...vector }) => {
  const body = Buffer.from(vector.bodyBase64, 'base64');
  const headers = { 'X-Service-Timestamp': timestamp, 'X-Service-Signature': vector.signature };
  const now = new Date(Number(timestamp) * 1000);
  const outcome = vector.result === 'event' ? 'accepted' : vector.result;
  verifySignature({ body, headers, secret, now });
  expect(await codeOf(() => verifyWebhook({ body, headers, secret, now }))).toBe(outcome);
  const request = new Request('http://receiver.test', { method: 'POST', headers, body });
  expect(await codeOf(() => verifyRequest(request, { secret, now }))).toBe(outcome);
});
