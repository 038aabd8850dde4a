import { expect, it } from 'vitest';
import { checkChallenge } from './check-challenge.js';

const domain = { hostname: 'go.example.com', challenge: 'shorty-challenge=abc' };
const answerTo = (...records: string[]) => checkChallenge(async () => records, domain);

it('trims a record of 64 KB of spaces and quotes in linear time', async () => {
  // A pattern that backtracks over the padding would take an hour.
  const records = Array.from({ length: 1_000 }, () => `x${' "'.repeat(32_000)}x`);
  expect(await answerTo(...records)).toContain('it must be "shorty-challenge=abc"');
});
