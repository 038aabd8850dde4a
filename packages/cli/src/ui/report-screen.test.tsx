import { expect, test } from 'vitest';
import { analyticsOverview, clickDays, noClicks, urlClicks } from '../../test/click-fixtures.js';
import { linkReport, overviewReport } from '../analytics/report-model.js';
import { displayWidth } from '../text-width.js';
import { renderReportScreen } from './render-report-screen.js';

const overview = overviewReport(analyticsOverview(), 'day');

test('two short lists are side by side, and long names use the whole width', () => {
  const lines = renderReportScreen(overview, { width: 80, hasColor: false }).split('\n');
  expect(lines.find((line) => line.startsWith('Countries '))).toMatch(
    /^Countries ─+ {4}Devices ─+$/,
  );
  expect(lines.find((line) => line.startsWith('Referrers '))).toMatch(/^Referrers ─{70}$/);
});

test.each([40, 60, 80])('no line exceeds %d columns', (width) => {
  const text = renderReportScreen(overview, { width, hasColor: false });
  for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
  expect(text).toContain('scans');
});

test('the maximum is on the scale', () => {
  const report = linkReport(urlClicks({ timeseries: clickDays([1, 1500, 0]) }), 'day');
  const text = renderReportScreen(report, { width: 80, hasColor: false });
  expect(text).toContain('\n1,500 ┤    ███\n');
  expect(text).toContain('most: 1,500 on 2030-11-02\n');
});

test('a report without clicks', () => {
  const text = renderReportScreen(linkReport(noClicks(), 'day'), { width: 80, hasColor: false });
  expect(text).toMatch(/addresses\n\nno clicks in this window\n$/);
});
