import { expect, it } from 'vitest';
import { type ClickedVisit, describeVisit } from './tail.js';

const visit: ClickedVisit = {
  urlId: '42',
  shortCode: 'aB3xY9q',
  customSlug: 'spring-sale',
  shortUrl: 'https://sho.example/spring-sale',
  visitedAt: '2030-01-01T08:12:01.000Z',
  method: 'click',
  country: 'DE',
  deviceType: 'mobile',
  browser: 'Firefox',
  os: 'Android',
  referrerDomain: 'news.example.com',
  referrerType: 'other',
};

it('shows time, kind, country, device, link and referrer in one line', () => {
  expect(describeVisit(visit, 100)).toBe(
    '08:12:01  click  DE  mobile   sho.example/spring-sale           news.example.com',
  );
  const scan: ClickedVisit = { ...visit, method: 'scan', country: 'Unknown' };
  expect(describeVisit({ ...scan, scanCertainty: 'inferred' }, 40)).toBe(
    '08:12:01  scan?  --  mobile   sho.examp…',
  );
  const hostile = { ...scan, scanCertainty: 'proven', shortUrl: 'https://x/\u001b[2J' } as const;
  expect(describeVisit(hostile, Number.POSITIVE_INFINITY)).toContain(
    'scan   --  mobile   x/\ufffd[2J',
  );
});
