import { createDeduper } from '../src/dedupe.js';
import { type SignOptions, signWebhook } from '../src/index.js';

export const SECRET = 'whsec_test_0123456789abcdef';
export const NOW = new Date('2025-06-01T12:00:00.000Z');

export const EVENT = {
  id: '0198c0de-0000-7000-8000-000000000001',
  type: 'url.created',
  createdAt: '2025-06-01T12:00:00.000Z',
  data: {
    id: '42',
    shortCode: 'aB3xY9z',
    targetUrl: 'https://example.com/',
    organizationId: '0198c0de-0000-7000-8000-0000000000aa',
  },
} as const;

/** A good delivery of the event at noon, for a test to spoil. */
export function sample(options: Partial<SignOptions> = {}) {
  return signWebhook(EVENT, { secret: SECRET, now: NOW, deliveryId: 'delivery-1', ...options });
}

/** The code of the error that the work ends in, or what else it ended in. */
export async function codeOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return 'accepted';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

const deduper = createDeduper({
  leaseMs: 30_500,
  store: { claim: () => 'running', finish() {}, release() {} },
});

/** Rejects, because another process runs the work of the delivery. */
export const runElsewhere = () => deduper.once('a delivery', () => undefined);
