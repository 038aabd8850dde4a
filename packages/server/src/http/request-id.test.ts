import { expect, it } from 'vitest';
import { traceIdOf } from './request-id.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

it.each([
  [`00-${traceId}-00f067aa0ba902b7-01`, traceId],
  [`cc-${traceId}-00f067aa0ba902b7-01-what-the-future-adds`, traceId],
  [`00-${traceId}-00f067aa0ba902b7-01-x`, undefined],
  [`ff-${traceId}-00f067aa0ba902b7-01`, undefined],
  [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, undefined],
  [`00-${traceId}-${'0'.repeat(16)}-01`, undefined],
  [`00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`, undefined],
  [undefined, undefined],
])('the trace id of %s is %s', (header, expected) => {
  expect(traceIdOf({ headers: header === undefined ? {} : { traceparent: header } })).toBe(
    expected,
  );
});
