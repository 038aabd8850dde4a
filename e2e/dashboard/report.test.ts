import { readFile } from 'node:fs/promises';
import type { UrlRecord } from '@shorty/sdk';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { poll } from '../../packages/server/test/poll.js';
import { saveScreenshot } from '../lib/browser.js';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';

const dashboard = useDashboard();
const markup = '<img src=x onerror=alert(1)>';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';
let link: UrlRecord;

const visit = (userAgent: string, query = '') =>
  fetch(`${link.shortUrl}${query}`, {
    redirect: 'manual',
    headers: { 'user-agent': userAgent, referer: 'https://news.example.com/' },
  });

beforeAll(async () => {
  link = await dashboard.shorty.urls.create({
    targetUrl: 'https://example.com/',
    title: markup,
    tags: [markup],
  });
  await dashboard.shorty.urls.create({ targetUrl: 'https://example.com/other', tags: ['other'] });
  await visit(firefox, `?utm_source=${encodeURIComponent(markup)}`);
  await visit(firefox);
  await visit(safari);
  await poll(
    'clicks',
    async () => (await dashboard.shorty.analytics.overview()).totals.totalClicks,
    (clicks) => clicks === 3,
  );
});

const totalOf = (page: Page, count: number) =>
  page
    .locator('.totals li')
    .filter({ hasText: /clicks?/ })
    .first()
    .getByText(String(count), { exact: true });

async function textOf(page: Page, button: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return readFile(await file.path(), 'utf8');
}

test('the report of all links leads to that of a link, whose texts stay texts', async () => {
  const page = await dashboard.open('/');
  await page.getByRole('link', { name: 'Reports' }).click();
  await totalOf(page, 3).waitFor();
  await page.getByRole('img', { name: '3 clicks over time' }).waitFor();
  await page.getByText(markup).first().waitFor();
  await saveScreenshot(page, 'report');
  await expectAccessible(page);
  await saveScreenshot(page, 'report-dark');
  await page.getByRole('link', { name: link.shortUrl.replace('http://', '') }).click();
  await page.getByRole('heading', { name: `: ${markup}` }).waitFor();
  await totalOf(page, 3).waitFor();
  await page.setViewportSize({ width: 320, height: 900 });
  await saveScreenshot(page, 'report-narrow');
  dashboard.expectNoProblems();
});

test('a click on a row filters by it, by the keyboard alone, and the filter can be removed', async () => {
  const page = await dashboard.open(`/report/${link.id}`);
  await page.getByRole('button', { name: 'Only Browsers: Firefox' }).focus();
  await page.keyboard.press('Enter');
  await totalOf(page, 2).waitFor();
  expect(new URL(page.url()).searchParams.get('browser')).toBe('Firefox');
  await page.getByRole('button', { name: `Only UTM source: ${markup}` }).click();
  await totalOf(page, 1).waitFor();
  await page.getByRole('button', { name: 'Remove filter Browsers: Firefox' }).press('Enter');
  await page.goBack();
  await page.goBack();
  await totalOf(page, 2).waitFor();
  await page.getByRole('button', { name: 'Remove filter Browsers: Firefox' }).press('Enter');
  await totalOf(page, 3).waitFor();
  dashboard.expectNoProblems();
});

test('a period, a time zone and a tag are in the address', async () => {
  await dashboard.shorty.domains.create({ hostname: 'go.example.com' });
  const page = await dashboard.open('/report');
  await page.getByLabel('Tag', { exact: true }).fill(markup);
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).searchParams.get('tag')).toBe(markup);
  await totalOf(page, 3).waitFor();
  await page.getByLabel('Domain').selectOption('go.example.com');
  await page.getByText('no clicks in this window').waitFor();
  await page.getByLabel('Domain').selectOption('all');
  await totalOf(page, 3).waitFor();
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
  await page.getByLabel('Period').selectOption('1');
  await page
    .getByText(/\+09:00, by hour/)
    .first()
    .waitFor();
  await page.getByLabel('Period').selectOption('custom');
  await page.getByLabel('From', { exact: true }).fill('2020-01-01');
  await page.getByLabel('To', { exact: true }).fill('2020-01-31');
  await page.getByText('2020-01-01 00:00 +09:00 to 2020-02-01 00:00 +09:00, by day').waitFor();
  await page.getByText('no clicks in this window').waitFor();
  await page.reload();
  await page.getByText('2020-01-01 00:00 +09:00 to 2020-02-01 00:00 +09:00, by day').waitFor();
  await page.getByLabel('To', { exact: true }).fill('2019-01-31');
  await page.getByRole('alert').waitFor();
  dashboard.expectNoProblems();
});

test('a report is downloaded as CSV and as one page', async () => {
  const page = await dashboard.open(`/report/${link.id}`);
  await totalOf(page, 3).waitFor();
  expect(await textOf(page, 'Download CSV')).toMatch(/^browser,Firefox,,2,$/m);
  const html = await textOf(page, 'Download HTML');
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
  expect(html).not.toContain(markup);
});

test('a live report shows new clicks, to a viewer, too', async () => {
  const page = await dashboard.openAs('viewer', `/report/${link.id}`);
  await totalOf(page, 3).waitFor();
  await page.getByLabel('Live').check();
  await visit(safari);
  await totalOf(page, 4).waitFor();
  dashboard.expectNoProblems();
});
