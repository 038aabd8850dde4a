import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { saveScreenshot } from '../lib/browser.js';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';
import { freePort } from '../lib/processes.js';

const dashboard = useDashboard();

test('an owner invites a colleague by the keyboard alone, who signs in by the link', async () => {
  const page = await dashboard.open('/people');
  await page.getByLabel('E-mail address').focus();
  await page.keyboard.type('grace@example.com');
  await page.keyboard.press('Tab');
  await page.keyboard.type('V');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const link = page.getByLabel('Link for grace@example.com', { exact: true });
  const invitationUrl = await link.inputValue();
  expect(invitationUrl).toMatch(/\/dashboard\/welcome#shorty_in_/);
  // The link is selected, to be copied.
  await expect.poll(() => page.evaluate(() => String(getSelection()))).toBe(invitationUrl);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('cell', { name: 'invited until' }).waitFor();
  await saveScreenshot(page, 'people');
  await expectAccessible(page);
  const { items } = await dashboard.shorty.people.list();
  expect(items.map(({ email, role }) => [email, role])).toContainEqual([
    'grace@example.com',
    'viewer',
  ]);
  dashboard.expectNoProblems();
});

test('a role is changed, and changed back', async () => {
  const { id } = await dashboard.shorty.people.invite({ email: 'a@example.com', role: 'viewer' });
  const roleOf = async () =>
    (await dashboard.shorty.people.list()).items.find((user) => user.id === id)?.role;
  const page = await dashboard.open('/people');
  await page.getByLabel('Role of a@example.com').selectOption('editor');
  await page.getByText('a@example.com: editor').waitFor();
  expect(await roleOf()).toBe('editor');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(roleOf).toBe('viewer');
});

test('a new link replaces the one before', async () => {
  const before = await dashboard.shorty.people.invite({ email: 'b@example.com', role: 'viewer' });
  const page = await dashboard.open('/people');
  await page.getByRole('button', { name: 'New link for b@example.com' }).click();
  const link = page.getByLabel('Link for b@example.com', { exact: true });
  expect(await link.inputValue()).not.toBe(before.invitationUrl);
});

test('a person is removed after a question, and the last owner is not', async () => {
  await dashboard.shorty.people.invite({ email: 'c@example.com', role: 'editor' });
  const page = await dashboard.open('/people');
  await page.getByRole('button', { name: 'Remove c@example.com' }).click();
  await page.getByText('This cannot be undone').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Removed c@example.com').waitFor();
  await page.getByRole('button', { name: 'Remove owner@example.com' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('dialog').getByRole('alert').getByText('no other owner').waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Role of owner@example.com').selectOption('viewer');
  await page.getByRole('status').getByText('no other owner').waitFor();
  const role = page.getByLabel('Role of owner@example.com');
  await expect.poll(() => role.inputValue()).toBe('owner');
  dashboard.expectNoProblems();
});

const hook = 'https://example.com/hook';
const changes =
  /^(Save|Create|Add|Invite|Verify|Pause|Resume|Delete|Remove|New link|Send a test|Resend|Replace)/;
const newRecords = /^(Destination|New domain|E-mail address|Role of .*)$/;

/** Creates a record for each screen. Returns the paths of screens, and a text of each. */
async function createRecords(): Promise<readonly (readonly [string, string])[]> {
  const { shorty } = dashboard;
  const link = await shorty.urls.create({
    targetUrl: 'https://example.com/',
    title: 'Spring sale',
  });
  const domain = await shorty.domains.create({ hostname: 'seen.example.com' });
  const code = await shorty.qr.create({ data: 'a seen text' });
  const webhook = await shorty.webhooks.create({ url: hook, events: ['*'] });
  return [
    ['/', 'Spring sale'],
    [`/links/${link.id}`, 'Destination'],
    ['/domains', 'seen.example.com'],
    [`/domains/${domain.id}`, 'Verification'],
    ['/people', 'owner@example.com'],
    ['/qr', 'a seen text'],
    [`/qr/${code.id}`, 'The server has read this picture'],
    ['/webhooks', hook],
    [`/webhooks/${webhook.id}`, 'Deliveries'],
  ];
}

test('a viewer sees the records of each screen, and can change none', async () => {
  const screens = await createRecords();
  const page = await dashboard.openAs('viewer', '/');
  for (const [path, text] of screens) {
    await page.goto(`${dashboard.server.url}/dashboard${path}`);
    await page.getByText(text).first().waitFor();
    expect(await page.getByRole('button', { name: changes }).allTextContents(), path).toEqual([]);
    const fields = page.getByLabel(newRecords).and(page.locator(':enabled'));
    expect(await fields.count(), path).toBe(0);
  }
  for (const path of ['/keys', '/audit', '/import', '/operator']) {
    await page.goto(`${dashboard.server.url}/dashboard${path}`);
    await page.getByText('This page does not exist').waitFor();
  }
  expect(await page.getByRole('link', { name: /^(Keys|Audit|Import|Operator)$/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Shorty' }).waitFor();
  await expectAccessible(page);
});

test('an editor has no audit, and changes no webhook', async () => {
  const { id } = await dashboard.shorty.webhooks.create({ url: hook, events: ['*'] });
  const page = await dashboard.openAs('editor', `/webhooks/${id}`);
  await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
  expect(await page.getByRole('button', { name: changes }).count()).toBe(0);
  for (const path of ['/audit', '/operator']) {
    await page.goto(`${dashboard.server.url}/dashboard${path}`);
    await page.getByText('This page does not exist').waitFor();
  }
});

// Another port of the same host is the same site, to which the browser sends its cookie.
test.each([
  { host: 'localhost', status: 403 },
  { host: '127.0.0.1', status: 401 },
])('a page of $host writes nothing by the session', async ({ host, status }) => {
  const port = await freePort();
  const evil = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Evil</title>');
  }).listen(port, '127.0.0.1');
  onTestFinished(() => void evil.close());
  const { id } = await dashboard.shorty.urls.create({ targetUrl: 'https://example.com/' });
  const page = await (await dashboard.open('/')).context().newPage();
  const { url } = dashboard.server;
  const sent: string[] = [];
  const statuses: number[] = [];
  page.on('request', (request) => {
    if (request.url().startsWith(`${url}/api/`)) sent.push(request.method());
  });
  page.on('response', (response) => {
    if (response.url().startsWith(`${url}/api/`)) statuses.push(response.status());
  });
  await page.goto(`http://${host}:${port}/`);
  await page.evaluate(
    async ([api, id]) => {
      const body = JSON.stringify({ targetUrl: 'https://evil.example/' });
      const request = { method: 'POST', mode: 'no-cors', credentials: 'include' } as const;
      // The page cannot read the answers, and the requests arrive all the same.
      await fetch(`${api}/urls`, { ...request, body }).catch(() => {});
      const json = { 'content-type': 'application/json' };
      const preflighted = { credentials: 'include', headers: json, body } as const;
      await fetch(`${api}/urls`, { ...preflighted, method: 'POST' }).catch(() => {});
      await fetch(`${api}/urls/${id}`, { ...preflighted, method: 'DELETE' }).catch(() => {});
      const image = new Image();
      image.src = `${api}/urls/bulk?ids=${id}`;
      await new Promise((resolve) => {
        image.onerror = resolve;
      });
    },
    [`${url}/api/v1`, id] as const,
  );
  for (const enctype of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ]) {
    await page.goto(`http://${host}:${port}/`);
    await Promise.all([
      page.waitForURL(`${url}/**`),
      page.evaluate(
        ([api, enctype]) => {
          const form = Object.assign(document.createElement('form'), {
            method: 'post',
            action: `${api}/urls`,
            enctype,
          });
          const input = document.createElement('input');
          input.name = '{"targetUrl":"https://evil.example/","title":"';
          input.value = '"}';
          form.append(input);
          document.body.append(form);
          form.submit();
        },
        [`${url}/api/v1`, enctype] as const,
      ),
    ]);
  }
  expect(sent.length).toBeGreaterThanOrEqual(6);
  expect(new Set(statuses)).toEqual(new Set([status]));
  const { items } = await dashboard.shorty.urls.list({ search: 'evil.example' });
  expect(items).toEqual([]);
  expect((await dashboard.shorty.urls.get(id)).deletedAt).toBeNull();
});
