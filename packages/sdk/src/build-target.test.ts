import { expect, it } from 'vitest';
import { buildTarget } from './build-target.js';

const target = (query: object) =>
  buildTarget('GET /api/v1/analytics/overview', { query: { ...query } });

it.each([null, undefined, '', Number.NaN])('refuses a list in a query with %s', (value) => {
  expect(() => target({ country: ['DE', value] })).toThrow('country[1] must be present');
});

it('repeats a list in a query, and leaves out one without items', () => {
  expect(target({ country: ['DE', 'AT'], tag: [], os: null }).search).toBe(
    '?country=DE&country=AT',
  );
});
