import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type ShortyServer } from '@shorty/server';
import Provider from 'oidc-provider';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../lib/browser.js';

const clientId = 'shorty';
const clientSecret = 'a-secret-of-the-test';
let provider: Server;
let issuer: string;
let browser: Browser;
const servers: ShortyServer[] = [];

beforeAll(async () => {
  browser = await launchBrowser();
  provider = createHttpServer().listen(0, '127.0.0.1');
  await once(provider, 'listening');
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser?.close();
  provider?.closeAllConnections();
  provider?.close();
  await Promise.all(servers.map((server) => server.stop()));
});

/** Starts a server that the provider knows. */
async function start(defaultRole?: 'viewer' | 'editor'): Promise<ShortyServer> {
  const server = createServer({ oidc: { issuer, clientId, clientSecret, defaultRole } });
  await server.start();
  servers.push(server);
  const oidc = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${server.url}/dashboard/oidc/callback`],
      },
    ],
    claims: { email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true }),
    }),
  });
  provider.removeAllListeners('request').on('request', oidc.callback());
  return server;
}

/** Signs in at the provider, as a new browser. */
async function signIn(server: ShortyServer, name: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${server.url}/dashboard`);
  await page.getByRole('link', { name: 'Sign in with your organization' }).click();
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  return page;
}

test('somebody new gets the role of the setting, and comes back as the same person', async () => {
  const server = await start('editor');
  const page = await signIn(server, 'ada');
  await page.getByLabel('Destination').waitFor();
  await page.getByText('ada@example.com').waitFor();
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByText('You sign in with your organization').waitFor();
  expect(await page.getByLabel('New password').count()).toBe(0);
  await (await signIn(server, 'ada')).getByText('ada@example.com').waitFor();
  const users = await server.database.read.selectFrom('users').select(['email', 'role']).execute();
  expect(users.filter(({ email }) => email !== null)).toEqual([
    { email: 'ada@example.com', role: 'editor' },
  ]);
});

test('without the setting, somebody new is refused', async () => {
  const page = await signIn(await start(), 'eve');
  await page.getByText('You are not among the people of this server').waitFor();
});

test('an address does not make somebody the person who has it', async () => {
  const server = await start('viewer');
  const { id } = await server.database.read
    .selectFrom('users')
    .select('id')
    .executeTakeFirstOrThrow();
  await server.database.writeDirectly((transaction) =>
    transaction
      .updateTable('users')
      .set({ email: 'bob@example.com' })
      .where('id', '=', id)
      .execute(),
  );
  const page = await signIn(server, 'bob');
  await page.getByRole('heading', { name: 'Links' }).waitFor();
  expect(await page.getByLabel('Destination').count()).toBe(0);
});

test('a removed person cannot come back', async () => {
  const server = await start('viewer');
  const page = await signIn(server, 'mallory');
  await page.getByRole('heading', { name: 'Links' }).waitFor();
  const { Shorty } = await import('@shorty/sdk');
  const { clientId: id = '', clientSecret: secret = '' } = server.credentials ?? {};
  const shorty = new Shorty({ baseUrl: server.url, clientId: id, clientSecret: secret });
  const people = await shorty.people.list().toArray({ limit: 10 });
  const removed = people.find(({ email }) => email === 'mallory@example.com');
  await shorty.people.delete(removed?.id ?? '');
  await (await signIn(server, 'mallory'))
    .getByText('You are not among the people of this server')
    .waitFor();
});

test('a callback that this browser has not begun is refused', async () => {
  const server = await start('viewer');
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${server.url}/dashboard/oidc/callback?code=stolen&state=forged`);
  await page.getByText('The sign-in has taken too long, or began elsewhere').waitFor();
  await page.goto(`${server.url}/dashboard/?error=Call+0900+123`);
  await page.getByText('The sign-in has failed.').waitFor();
  expect(await page.content()).not.toContain('0900');
});
