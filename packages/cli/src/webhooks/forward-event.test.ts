import { expect, it } from 'vitest';
import { describeForward, type Forwarded } from './forward-event.js';

const received: Forwarded = {
  receivedAt: '2030-01-01T08:12:01.000Z',
  deliveryId: 'd1',
  type: 'url.created',
  event: { data: { shortUrl: 'https://sho.example/spring-sale' } },
  forwardedStatus: 201,
  forwardError: null,
  durationMs: 14.4,
};

it('shows time, type, status, duration and id', () => {
  expect(describeForward(received, 120, false)).toBe(
    '08:12:01  url.created          201         14 ms  d1',
  );
});

it('shows failures, and events that were not forwarded', () => {
  const shown = (change: Partial<Forwarded>) =>
    describeForward({ ...received, ...change }, 80, false).slice(31, 48);
  expect(shown({ forwardedStatus: null, forwardError: 'connect ECONNREFUSED' })).toBe(
    'FAILED      14 ms',
  );
  expect(shown({ forwardedStatus: null, durationMs: null })).toBe('-                ');
});

it('colors the status by its success', () => {
  expect(describeForward(received, 80, true)).toContain('\u001b[32m201\u001b[39m');
  const failed = describeForward({ ...received, forwardedStatus: 500 }, 80, true);
  expect(failed).toContain('\u001b[31m500\u001b[39m');
});
