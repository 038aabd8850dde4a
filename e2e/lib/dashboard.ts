import { Shorty } from '@shorty/sdk';
import { createServer, type ShortyServer } from '@shorty/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { accessibilityErrors, colorSchemes, launchBrowser, watchPage } from './browser.js';

const password = 'correct horse battery';
const widths = [320, 1280];

/**
 * Starts a server, and a browser in which its owner is signed in, before the tests of a file. Stops them
 * after.
 */
export function useDashboard(options: Parameters<typeof createServer>[0] = {}) {
  let server: ShortyServer;
  let browser: Browser;
  let shorty: Shorty;
  let ownersState: Awaited<ReturnType<Page['context']>> | undefined;
  let people = 0;
  const watched: ReturnType<typeof watchPage>[] = [];

  beforeAll(async () => {
    server = createServer(options);
    await server.start();
    const { clientId = '', clientSecret = '' } = server.credentials ?? {};
    shorty = new Shorty({ baseUrl: server.url, clientId, clientSecret });
    browser = await launchBrowser();
    ownersState = (await accept(server.invitationUrl ?? '')).context();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Opens a page in a new browser profile. */
  async function newPage(): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    return watch(await context.newPage());
  }

  function watch(page: Page): Page {
    const watch = watchPage(page, server.url);
    watched.push(watch);
    // People make the requests that are refused otherwise.
    page.on('response', (response) => {
      if ([401, 403, 404].includes(response.status())) watch.problems.push(response.url());
    });
    return page;
  }

  /** Opens an invitation as a person does, and sets the password. */
  async function accept(invitationUrl: string): Promise<Page> {
    const page = await newPage();
    await page.goto(invitationUrl);
    const label = page.getByLabel('New password');
    await label.waitFor();
    const address = page.getByLabel('E-mail address');
    if (await address.isVisible()) await address.fill('owner@example.com');
    await label.fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Links' }).waitFor();
    return page;
  }

  return {
    get server() {
      return server;
    },
    get shorty() {
      return shorty;
    },
    /** Opens a screen, such as `/links/42`. Its problems fail the test in `expectNoProblems`. */
    async open(path: string, { width = 1280 } = {}) {
      const page = watch(await (ownersState as NonNullable<typeof ownersState>).newPage());
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${server.url}/dashboard${path}`);
      return page;
    },
    /** Opens a screen as a person of another role. */
    async openAs(role: 'editor' | 'viewer', path: string) {
      const { invitationUrl } = await shorty.people.invite({
        email: `person-${people++}@example.com`,
        role,
      });
      const page = await accept(invitationUrl);
      await page.goto(`${server.url}/dashboard${path}`);
      return page;
    },
    /** Fails if a page had an error, a violation of its policy, or a request to another host. */
    expectNoProblems() {
      expect(watched.flatMap(({ outside, problems }) => [...outside, ...problems])).toEqual([]);
    },
  };
}

/** Fails unless a screen fits its width and breaks no rule of accessibility: light and dark, narrow and wide. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const width of widths) {
    for (const colorScheme of colorSchemes) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityErrors(page), `${width} px, ${colorScheme}`).toEqual([]);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      // The widths are rounded.
      expect(overflow, `${width} px wide`).toBeLessThanOrEqual(1);
    }
  }
}
