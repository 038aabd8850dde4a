import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { createServer } from '../../src/create-server.js';
import { migrate } from '../../src/operations/commands/migrate.js';
import { callerOf, startServer } from '../api/start-server.js';
import { databaseForTest } from '../engine.js';
import { fileForTest } from '../storage/temporary-database.js';
import { receiver } from '../webhooks/receiver.js';

afterEach(() => vi.unstubAllEnvs());

/** Captures the output of the command. */
function captureOutput(): () => string {
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  onTestFinished(() => spy.mockRestore());
  return () => written.join('');
}

it('moves links, visits, QR codes, webhooks and pending deliveries, which continue there', async () => {
  const databaseUrl = `file:${fileForTest().path}`;
  // It fails until the database has moved.
  let status = 500;
  const hook = await receiver((response) => response.writeHead(status).end());
  const before = await startServer({
    databaseUrl,
    shortDomain,
    allowPrivateNetwork: true,
    clock: Date.now,
  });
  const { data: webhook } = await before.call('createWebhook', {
    body: { url: hook.url, events: ['url.created'] },
  });
  const ofWebhook = { params: { id: webhook.id } };
  await before.call('rotateWebhookSecret', ofWebhook);
  const { previousSecrets } = (await before.call('getWebhook', ofWebhook)).data;
  expect(previousSecrets).toHaveLength(1);
  const link = await before.createLink({ customSlug: 'moved', tags: ['a', 'ü'] });
  const { data: code } = await before.call('createQr', { body: { urlId: link.id, size: 300 } });
  for (let visit = 0; visit < 5; visit += 1) {
    const response = await before.visit('/moved', {
      headers: { 'user-agent': agent, host: shortDomain },
    });
    expect(response.status).toBe(307);
  }
  // The first attempt has failed, so the delivery is pending.
  await expect
    .poll(async () => {
      const { data } = await before.call('listDeliveries', { params: { id: webhook.id } });
      return data.items.map(({ attempts, status }) => ({ attempts, status }));
    })
    .toEqual([{ attempts: 1, status: 'pending' }]);
  const { token, organizationId } = before;
  await before.stop();

  const { databaseUrl: to, journalFolder } = await databaseForTest();
  const output = captureOutput();
  vi.stubEnv('SHORTY_DATABASE_URL', to);
  await migrate({ from: databaseUrl });
  expect(output()).toContain('urls 1\n');
  expect(output()).toContain('url_clicks 1\n');
  expect(output()).toContain('***@127.0.0.1');

  // An hour later, so that the second attempt is due.
  const server = createServer({
    databaseUrl: to,
    journalFolder,
    shortDomain,
    allowPrivateNetwork: true,
    clock: () => Date.now() + 3_600_000 - 60_000,
  });
  status = 200;
  await server.start();
  onTestFinished(() => server.stop());
  expect(server.credentials).toBeUndefined();
  await hook.arrived(2);
  const after = callerOf(server.url, token, organizationId);
  expect(await after.getLink(link.id)).toMatchObject({
    ...link,
    clickCount: 5,
    lastClickAt: expect.any(String),
  });
  expect((await after.call('getQr', { params: { id: code.id } })).data.qrData).toBe(code.qrData);
  const { data: clicks } = await after.call('getUrlClicks', { params: { id: link.id } });
  expect(clicks.totals).toMatchObject({ totalClicks: 5, uniqueClicks: 1 });
  const { data: moved } = await after.call('getWebhook', ofWebhook);
  expect(moved.previousSecrets).toEqual(previousSecrets);
  // New ids continue after the moved ones.
  const next = await after.createLink({ targetUrl: 'https://a.example/' });
  expect(Number(next.id)).toBeGreaterThan(Number(link.id));
});

it('refuses while a server runs on the file, and a target that is not empty', async () => {
  const from = `file:${fileForTest().path}`;
  const running = await startServer({ databaseUrl: from });
  const { databaseUrl: to, journalFolder } = await databaseForTest();
  vi.stubEnv('SHORTY_DATABASE_URL', to);
  await expect(migrate({ from })).rejects.toThrow(/a server is running on .*: stop it first/);
  await running.stop();
  const other = createServer({ databaseUrl: to, journalFolder });
  await other.start();
  await other.stop();
  await expect(migrate({ from })).rejects.toThrow(/must be empty/);
});

const shortDomain = 'sho.example';
const agent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36';
