import { expect, it } from 'vitest';
import type { AttemptOutcome } from './attempt.js';
import { Endpoint, type LeasedDelivery } from './endpoint.js';

const delivery = {} as LeasedDelivery;

function endpoint(): Endpoint {
  const made = new Endpoint('webhook');
  made.mayBeDue = true;
  return made;
}

function finish(
  each: Endpoint,
  outcome: Pick<AttemptOutcome, 'statusCode' | 'error' | 'durationMs'>,
): void {
  each.isSlow ||= outcome.durationMs > 1_000;
  each.finish(outcome as AttemptOutcome);
}

it.each([
  ['in time', { statusCode: 204, error: null, durationMs: 500 }, 64],
  ['slow', { statusCode: 204, error: null, durationMs: 2_000 }, 1],
  ['failing', { statusCode: 503, error: 'no', durationMs: 10 }, 1],
  ['unreachable', { statusCode: null, error: 'no', durationMs: 10 }, 1],
  ['hanging', { statusCode: null, error: 'no', durationMs: 5_000 }, 1],
])('an endpoint that is %s has a limit of attempts in flight', (_name, outcome, limit) => {
  const each = endpoint();
  finish(each, outcome);
  each.waiting.push(...Array<LeasedDelivery>(100).fill(delivery));
  for (let tries = 0; tries < 100; tries += 1) each.next();
  expect(each.inFlight).toBe(limit);
});

it('an endpoint that was slow is not slow any more after a response in time', () => {
  const each = endpoint();
  finish(each, { statusCode: null, error: 'no', durationMs: 5_000 });
  finish(each, { statusCode: null, error: 'no', durationMs: 10 });
  expect(each.isSlow).toBe(true);
  finish(each, { statusCode: 503, error: 'no', durationMs: 10 });
  expect(each.isSlow).toBe(false);
});
