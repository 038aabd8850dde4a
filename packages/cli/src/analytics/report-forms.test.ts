import { formatCsvFile } from '@shorty/import';
import {
  formatShare,
  linkReport,
  overviewReport,
  reportHtml,
  reportRows,
  reportText,
} from '@shorty/report';
import type { UrlClicks } from '@shorty/sdk';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyticsOverview, clickDays, row, urlClicks } from '../../test/click-fixtures.js';

// Texts that visitors and users of the API control.
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .tuple(fc.constantFrom(...'=+-@\t\r\'"<>&'), fc.string({ unit: 'binary' }))
    .map((parts) => parts.join('')),
  fc.constant('</title><script>alert(1)</script>'),
  fc.constant('" onmouseover="alert(1)'),
);

function reportOf(name: string, clicks = 3) {
  const shown = urlClicks().breakdowns;
  const breakdowns: UrlClicks['breakdowns'] = {
    ...shown,
    country: [row({ country: name, clicks })],
    browser: [row({ browser: name, clicks })],
    os: [row({ os: name, clicks })],
    referrer: [row({ referrerDomain: name, referrerType: 'other', clicks })],
    utmCampaign: [row({ utmCampaign: name, clicks })],
  };
  const topUrls = [{ urlId: name, shortCode: name, shortUrl: name, clicks }];
  return {
    link: linkReport(urlClicks({ shortCode: name, breakdowns }), 'day'),
    overview: overviewReport(analyticsOverview({ topUrls, breakdowns }), 'day'),
  };
}

/** The page with its texts and the values of its attributes blanked out. */
function skeleton(page: string): string {
  return page.replaceAll(/"[^"<>]*"/g, '""').replaceAll(/>[^<>"']*(?=<)/g, '>');
}

test('names cannot add tags, attributes or control characters to a page', () => {
  const plain = reportOf('x');
  fc.assert(
    fc.property(hostile, (name) => {
      const { link, overview } = reportOf(name);
      expect(skeleton(reportHtml(link, 0))).toBe(skeleton(reportHtml(plain.link, 0)));
      expect(skeleton(reportHtml(overview, 0))).toBe(skeleton(reportHtml(plain.overview, 0)));
      expect(reportHtml(link, 0)).not.toMatch(/(?![\n\t\r])\p{Cc}/u);
    }),
  );
});

test('a page loads nothing, and its policy forbids it', () => {
  const page = reportHtml(overviewReport(analyticsOverview(), 'day'), 0);
  expect(page).toContain(
    `<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;">`,
  );
  expect(page).not.toMatch(/<script|<link|<img|<iframe|\ssrc=|\shref=|url\(|@import/i);
});

test('no cell starts a formula, and every row has five cells', () => {
  fc.assert(
    fc.property(hostile, (name) => {
      for (const report of Object.values(reportOf(name))) {
        const rows: string[][] = parse(formatCsvFile(reportRows(report)), {
          record_delimiter: '\n',
        });
        for (const cells of rows) {
          expect(cells).toHaveLength(5);
          for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
        }
      }
    }),
  );
});

test('no line contains control characters', () => {
  fc.assert(
    fc.property(hostile, fc.integer({ min: 40, max: 200 }), fc.nat(), (name, width, clicks) => {
      for (const report of Object.values(reportOf(name, clicks))) {
        const text = reportText(report, { width, hasColor: false });
        expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
      }
    }),
  );
});

test('a report without clicks', () => {
  const totals = { totalClicks: 0, uniqueClicks: 0, uniqueIps: 0 };
  const report = linkReport(urlClicks({ totals, timeseries: clickDays([0, 0, 0]) }), 'day');
  expect(reportText(report, { width: 80, hasColor: false })).toBe(
    `Clicks of link aB3xY9q (id 42)
2030-11-01 00:00 UTC to 2030-12-01 00:00 UTC, by day

0 clicks   0 unique visitors   0 addresses

no clicks in this window
`,
  );
  expect(reportHtml(report, 0)).toContain('no clicks in this window');
  expect(reportHtml(report, 0)).not.toContain('NaN');
});

test.each([
  [0, 10, '0%'],
  [1, 0, '0%'],
  [1, 3, '33.3%'],
  [10, 10, '100.0%'],
  [1, 5000, '<0.1%'],
])('%d of %d is %s', (part, whole, share) => expect(formatShare(part, whole)).toBe(share));
