import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifySignature, verifyWebhook, WebhookVerificationError } from '../src/index.js';
import { verifyRequest } from '../src/web.js';
import { codeOf, NOW, SECRET, sample } from './sample.js';

/** Random bytes from one number, because drawing each byte takes most of the time of a run. */
const largeBodies = fc
  .tuple(fc.integer({ min: 4000, max: 20_000 }), fc.integer())
  .map(([length, seed]) => {
    const bytes = new Uint8Array(length);
    let state = seed;
    for (let index = 0; index < length; index += 1) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
      bytes[index] = state >>> 16;
    }
    return bytes;
  });

const bodies = fc.oneof(fc.uint8Array({ maxLength: 500 }), largeBodies);

const signed = sample();
const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[0-9]{1,20}$/),
  fc.stringMatching(/^(sha256=[0-9a-fA-F]{62,66},? ?){0,3}$/),
  fc.stringMatching(/^(v1,[0-9a-zA-Z+/]{42,44}=? ?){0,3}$/),
  fc
    .array(fc.constantFrom('sha256=', 'v1,', 'v2=', '0'.repeat(64), ',', ' ', '=', '\t', '\0'))
    .map((parts) => parts.join('')),
  fc.constantFrom(String(NOW.getTime() / 1000), ...Object.values(signed.headers)),
);
const values = fc.oneof(value, fc.array(value, { maxLength: 3 }));

/** Headers of any form, some of which are those of a valid delivery. */
const hostileHeaders = fc.oneof(
  fc.record(
    {
      'X-Service-Timestamp': values,
      'x-service-signature': values,
      'X-SERVICE-SIGNATURE': value,
      'x-service-signature-next': value,
      'webhook-id': values,
      'webhook-timestamp': values,
      'Webhook-Signature': values,
      get: values,
    },
    { requiredKeys: [] },
  ),
  fc.record(
    { 'webhook-id': value, 'webhook-timestamp': value, 'webhook-signature': values },
    { requiredKeys: [] },
  ),
);

const hostileBodies = fc.oneof(bodies, fc.string({ unit: 'binary' }), fc.constant(signed.body));

const SECONDS = String(NOW.getTime() / 1000);
const secrets = fc.string({ unit: 'binary', minLength: 1, maxLength: 100 });

/** Signs any bytes, where `signWebhook` signs events only. */
function signBytes(body: Uint8Array, secret: string) {
  const hex = createHmac('sha256', secret).update(`${SECONDS}.`).update(body).digest('hex');
  return { 'x-service-timestamp': SECONDS, 'x-service-signature': `sha256=${hex}` };
}

function web(body: Uint8Array, headers: Record<string, string>, secret: string) {
  const request = { headers, arrayBuffer: async () => new Uint8Array(body).buffer };
  return codeOf(() => verifyRequest(request, { secret, now: NOW }));
}

describe('signatures', () => {
  it('match any bytes and any secret, synchronously and with Web Crypto', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, secrets, async (body, secret) => {
        const headers = signBytes(body, secret);
        expect(() => verifySignature({ body, headers, secret, now: NOW })).not.toThrow();
        expect(await web(body, headers, secret)).not.toBe('signature_mismatch');
      }),
    );
  });

  it('do not match with one flipped bit', async () => {
    const { body, headers } = sample();
    for (let bit = 0; bit < 256; bit++) {
      const bytes = Buffer.from(headers['X-Service-Signature'].slice(7), 'hex');
      bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
      const spoiled = { ...headers, 'X-Service-Signature': `sha256=${bytes.toString('hex')}` };
      const input = { body, headers: spoiled, secret: SECRET, now: NOW };
      expect(await codeOf(() => verifyWebhook(input))).toBe('signature_mismatch');
      expect(await web(Buffer.from(body), spoiled, SECRET)).toBe('signature_mismatch');
    }
  });
});

it('for any headers and body, both verifiers agree, and throw WebhookVerificationError only', async () => {
  await fc.assert(
    fc.asyncProperty(hostileHeaders, hostileBodies, async (headers, body) => {
      const options = { secret: SECRET, now: NOW };
      const request = {
        headers,
        arrayBuffer: () => new Response(body as BodyInit).arrayBuffer(),
      };
      const outcomes = await Promise.allSettled([
        (async () => verifyWebhook({ ...options, headers, body }))(),
        verifyRequest(request, options),
      ]);
      const [sync, web] = outcomes.map((outcome) =>
        outcome.status === 'rejected' ? outcome.reason : outcome.value.id,
      );
      if (sync instanceof Error) expect(sync).toBeInstanceOf(WebhookVerificationError);
      expect(web).toEqual(sync);
    }),
    { numRuns: 1000 },
  );
});
