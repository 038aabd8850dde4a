import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';

// Set to keep pictures of the pages, to be looked at.
const screenshots = process.env.SCREENSHOTS;

export const colorSchemes = ['light', 'dark'] as const;

export const views = [
  { name: 'phone', viewport: { width: 360, height: 740 } },
  { name: 'desktop', viewport: { width: 1280, height: 900 } },
] as const;

export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [
      // As one process it ends with the first page that is closed, and pages must not be let off
      // the rules that visitors' browsers hold them to.
      ...chromium.args.filter((flag) => !/^--(single-process|disable-web-security)/.test(flag)),
      '--disable-background-networking',
      '--disable-component-update',
    ],
    headless: true,
  });
}

/** What a page asked of others than its origin, and what its browser complained of, from now on. */
export function watchPage(page: Page, origin: string) {
  const outside: string[] = [];
  const problems: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) outside.push(url);
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // A status of 400 and more is what some pages are for.
    if (!/the server responded with a status of 4\d\d/.test(message.text())) {
      problems.push(message.text());
    }
  });
  return { outside, problems };
}

/** What makes a page hard to use for somebody, one line a fault. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

export async function keepPicture(page: Page, name: string): Promise<void> {
  if (!screenshots) return;
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}
