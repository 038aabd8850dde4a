import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import axe from 'axe-core';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';
import { expect } from 'vitest';

// A folder for screenshots of the pages. Without it, none are saved.
const screenshots = process.env.SCREENSHOTS;

export const colorSchemes = ['light', 'dark'] as const;

const views = [
  { name: 'phone', viewport: { width: 360, height: 740 } },
  { name: 'desktop', viewport: { width: 1280, height: 900 } },
] as const;

// Without a GPU, Chromium spends half of its processor time on a software renderer that no page needs.
chromium.setGraphicsMode = false;

export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [
      // A single process exits when the first page closes. Web security stays on, as in the
      // browsers of visitors.
      ...chromium.args.filter((flag) => !/^--(single-process|disable-web-security)/.test(flag)),
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-gpu',
    ],
    headless: true,
  });
}

// Some pages have a 4xx status. The page does not move the focus from a field that a person has focused.
const expected = /the server responded with a status of 4\d\d|^Autofocus processing was blocked/;

/** Collects the page's requests to other origins, and its errors and console messages. */
export function watchPage(page: Page, origin: string) {
  const outside: string[] = [];
  const problems: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) outside.push(url);
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (!expected.test(message.text())) problems.push(message.text());
  });
  return { outside, problems };
}

/** Returns the violations of accessibility rules, one line each. */
export async function accessibilityErrors(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    // Colors that are still in transition to another color scheme have a lower contrast.
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
    // The details of passed rules take longer than the rules.
    return (await axe.run('html', { resultTypes: ['violations'] })).violations;
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

/** Expects that a page fits every screen in light and dark, and is accessible. */
export async function expectFitsScreens(page: Page, name: string): Promise<void> {
  for (const colorScheme of colorSchemes) {
    await page.emulateMedia({ colorScheme });
    for (const { name: view, viewport } of views) {
      await page.setViewportSize(viewport);
      await saveScreenshot(page, `${name}-${view}-${colorScheme}`);
      const layout = await page.evaluate(() => ({
        isWiderThanScreen: document.documentElement.scrollWidth > innerWidth,
        background: getComputedStyle(document.body).backgroundColor,
      }));
      expect(layout, view).toEqual({
        isWiderThanScreen: false,
        // Proves that the content policy allows the style sheet.
        background: colorScheme === 'dark' ? 'rgb(17, 17, 19)' : 'rgb(252, 252, 253)',
      });
      expect(await accessibilityErrors(page), `${view} in ${colorScheme}`).toEqual([]);
    }
  }
}

/** Saves a screenshot when SCREENSHOTS is set. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  if (!screenshots) return;
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}
