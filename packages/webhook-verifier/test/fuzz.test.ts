import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../src/index.js';
import { hostileBodies, hostileHeaders } from './hostile.js';
import { NOW, SECRET } from './sample.js';

it('throws WebhookVerificationError only, in 100,000 runs', () => {
  const codes = new Set<string>();
  fc.assert(
    fc.property(hostileHeaders, hostileBodies, (headers, body) => {
      try {
        verifyWebhook({ headers, body, secret: SECRET, now: NOW });
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error;
        codes.add(error.code);
      }
    }),
    { numRuns: 100_000 },
  );
  expect(codes).toContain('signature_mismatch');
});
