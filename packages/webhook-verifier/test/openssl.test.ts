import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { signWebhook, verifyWebhook } from '../src/index.js';
import { verifyRequest } from '../src/web.js';
import { EVENT, NOW } from './sample.js';

/** The hexadecimal HMAC-SHA256 that OpenSSL computes with the bytes of a text as its key. */
function signByOpenssl(signed: string, secret: string): string {
  const key = `hexkey:${Buffer.from(secret).toString('hex')}`;
  const args = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', key, '-hex'];
  return (
    execFileSync('openssl', args, { input: signed, encoding: 'utf8' }).trim().split(' ').at(-1) ??
    ''
  );
}

it.each([
  'whsec_test',
  'whsec_',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'whsec_c2VjcmV0',
  'whsec_c2VjcmU=',
  'whsec_====',
  'WHSEC_dGVzdA==',
  'sha256=abc',
  'dGVzdA==',
  'a secret, with spaces ',
  'ключ-🔑-pässword',
  '0',
])('the bytes of the secret %j are the key of X-Service-Signature', async (secret) => {
  const { headers, body } = signWebhook(EVENT, { secret, now: NOW });
  const timestamp = headers['X-Service-Timestamp'];
  const signature = `sha256=${signByOpenssl(`${timestamp}.${body}`, secret)}`;
  expect(headers['X-Service-Signature']).toBe(signature);
  const given = { 'x-service-timestamp': timestamp, 'x-service-signature': signature };
  expect(verifyWebhook({ body, headers: given, secret, now: NOW }).type).toBe(EVENT.type);
  const request = new Request('http://localhost/', { method: 'POST', headers: given, body });
  expect((await verifyRequest(request, { secret, now: NOW })).type).toBe(EVENT.type);
});
