import fc from 'fast-check';
import { NOW, sample } from './sample.js';

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

export const bodies = fc.oneof(fc.uint8Array({ maxLength: 500 }), largeBodies);

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
export const hostileHeaders = fc.oneof(
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

export const hostileBodies = fc.oneof(
  bodies,
  fc.string({ unit: 'binary' }),
  fc.constant(signed.body),
);
