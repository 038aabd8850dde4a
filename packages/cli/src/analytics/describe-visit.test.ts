import { expect, it } from 'vitest';
import { type ClickedVisit, describeVisit } from './describe-visit.js';

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

it('shows time, kind, country, device, link and referrer', () => {
  expect(describeVisit(visit, 100)).toBe(
    '08:12:01  click  DE  mobile   sho.example/spring-sale           news.example.com',
  );
  const scan: ClickedVisit = {
    ...visit,
    method: 'scan',
    scanCertainty: 'inferred',
    country: 'Unknown',
    referrerDomain: '(direct)',
  };
  expect(describeVisit(scan, 60)).toBe(
    '08:12:01  scan?  --  mobile   /spring-sale          (direct)',
  );
  expect(describeVisit({ ...scan, scanCertainty: 'proven' }, 40)).toBe(
    '08:12:01  scan   --  mobile   /spring-s…',
  );
});

it('shows a long link whole in a pipe', () => {
  const shortUrl = `https://sho.example/${'x'.repeat(50)}`;
  const line = describeVisit({ ...visit, shortUrl }, Number.POSITIVE_INFINITY);
  expect(line).toContain(`/${'x'.repeat(50)}  news.example.com`);
});
