import { expect, it } from 'vitest';
import { browserNames, osNames, reportedBrowser, reportedOs } from './reported-names.js';

it.each([
  [reportedBrowser, 'Chrom', 'Chrome'],
  [reportedBrowser, 'firefoxx', 'Firefox'],
  [reportedBrowser, 'Saafri', 'Safari'],
  [reportedBrowser, 'Sfaari', 'Safari'],
  [reportedBrowser, 'Chrome', undefined],
  [reportedBrowser, 'Chromium', undefined],
  [reportedBrowser, '', undefined],
  [reportedOs, 'andriod', 'Android'],
  [reportedOs, 'Mac OS X', 'macOS'],
  [reportedOs, 'LINUX', undefined],
  [reportedOs, 'Kubuntu', undefined],
] as const)('%o of %j is %j', (reportedFor, name, reported) => {
  expect(reportedFor(name)).toBe(reported);
});

it('names in reports are not other names of others', () => {
  for (const name of browserNames.values()) expect(reportedBrowser(name)).toBeUndefined();
  for (const name of osNames.values()) expect(reportedOs(name)).toBeUndefined();
});
