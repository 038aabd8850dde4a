import { createServer, type Server } from 'node:http';
import { verifyWebhook } from '@shorty/webhook-verifier';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { saveScreenshot } from '../lib/browser.js';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';
import { freePort } from '../lib/processes.js';

const dashboard = useDashboard({ allowPrivateNetwork: true });

/** A receiver that answers with markup. `secret` is what the person has copied. */
let receiver: Server;
let url: string;
let secret: string | undefined;
let isBroken = false;
const types: string[] = [];
const gateways: unknown[] = [];

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}/hook`;
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (isBroken) return void response.writeHead(500).end('<b>broken</b>');
    const body = Buffer.concat(chunks);
    types.push(verifyWebhook({ body, headers: request.headers, secret: secret ?? '' }).type);
    gateways.push(request.headers['x-gateway']);
    response.end('<i>thanks</i>');
  }).listen(port, '127.0.0.1');
});
afterAll(() => receiver.close());

test('a webhook is made, its secret is shown once, and a test event arrives', async () => {
  const page = await dashboard.open('/webhooks/new');
  await page.getByLabel('Address of the receiver').fill(url);
  await page.getByLabel('Description').fill('<b>Orders</b>');
  await page.getByLabel('All types, also future ones').uncheck();
  await page.getByLabel(/^url\.created/).check();
  await page.getByLabel(/^url\.deleted/).check();
  await page.getByText('Only events of some links').click();
  await page.getByLabel('With one of these tags').fill('launch, spring');
  await page.getByText('Headers of each delivery').click();
  await page.getByLabel('Headers', { exact: true }).fill('X-Gateway: <b>token</b>');
  await expectAccessible(page);
  await saveScreenshot(page, 'webhook-new');
  await page.getByRole('button', { name: 'Create' }).click();
  secret = await page.getByLabel('Secret', { exact: true }).inputValue();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('heading', { name: url }).waitFor();
  await page.getByText('<b>Orders</b>').waitFor();
  const [webhook] = (await dashboard.shorty.webhooks.list()).items;
  expect(webhook).toMatchObject({
    filters: { tags: ['launch', 'spring'] },
    headerNames: ['X-Gateway'],
  });
  expect(await page.content()).not.toContain(secret);

  await page.getByLabel('Type of the test').selectOption('url.deleted');
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByText('Delivered: the receiver answered 200').waitFor();
  expect(types).toEqual(['url.deleted']);
  expect(gateways).toEqual(['<b>token</b>']);
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByText('<i>thanks</i>').waitFor();
  await page.getByText('"url.deleted"').waitFor();
  await expectAccessible(page);
  await saveScreenshot(page, 'webhook-delivery');
  await page.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Remove the headers' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the headers' }).click();
  await page.getByText('Removed the headers').waitFor();
  await page.getByLabel('With one of these tags').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved the webhook').waitFor();
  const [changed] = (await dashboard.shorty.webhooks.list()).items;
  expect(changed).toMatchObject({ filters: null, headerNames: [] });

  await page.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('2 of 2').waitFor();
  await expect.poll(() => types).toEqual(['url.deleted', 'url.deleted']);
  await expectAccessible(page);
  await saveScreenshot(page, 'webhook');
  dashboard.expectNoProblems();
});

test('a failed delivery says why, and a webhook is paused and deleted by the keyboard alone', async () => {
  const { id } = await dashboard.shorty.webhooks.create({ url, events: ['url.created'] });
  const page = await dashboard.open(`/webhooks/${id}`);
  isBroken = true;
  await page.getByRole('button', { name: 'Send a test event' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Not delivered').waitFor();
  await page.getByRole('button', { name: 'Details' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('<b>broken</b>').waitFor();
  await page.keyboard.press('Escape');
  isBroken = false;

  await page.getByRole('button', { name: 'Pause' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('State: paused').waitFor();
  expect((await dashboard.shorty.webhooks.get(id)).isActive).toBe(false);
  await page.getByRole('button', { name: 'Undo' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('State: active').waitFor();

  await page.getByLabel('Description').fill('Changed');
  await page.keyboard.press('Enter');
  await page.getByText('Saved the webhook').waitFor();
  expect((await dashboard.shorty.webhooks.get(id)).description).toBe('Changed');
  await page.getByRole('button', { name: 'Replace the secret' }).click();
  await page.getByLabel('Secret', { exact: true }).waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: `Delete ${url}` }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('This cannot be undone').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
  await expect(dashboard.shorty.webhooks.get(id)).rejects.toThrow();
  await expectAccessible(page);
  await saveScreenshot(page, 'webhooks');
  dashboard.expectNoProblems();
});
