import { once } from 'node:events';
import SqliteHandle from 'better-sqlite3';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import { journalStart } from '../../src/analytics/journal/journal-reader.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { makeVisit } from '../analytics/visit-store.js';
import { addLinks } from './add-links.js';
import {
  call,
  command,
  newDatabase,
  newSettings,
  openConnection,
  serve,
  tokenOf,
} from './server-process.js';

beforeAll(build, 120_000);

const credentials = { clientId: 'operator-test', clientSecret: 'operator-test-secret-of-32-chars' };

const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

// Each test waits for the time limit of a stop.
describe('SIGTERM ends the process within 10 s, although', () => {
  it('a request never ends', async () => {
    const server = await serve(newSettings());
    const { socket, response } = await openConnection(server.origin);
    socket.write(
      'POST /api/v1/auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n\r\n',
    );
    await once(socket, 'data');
    const startedAt = performance.now();
    server.child.kill('SIGTERM');
    await response;
    expect((await server.ended).code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('a part of the server never stops', async () => {
    // Keeps the event loop alive.
    const endless = 'data:text/javascript,setInterval(() => {}, 60_000)';
    const server = await serve({ ...newSettings(), NODE_OPTIONS: `--import "${endless}"` });
    const startedAt = performance.now();
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  }, 60_000);

  it('native code blocks a thread, and loses no visit', async () => {
    const settings = {
      ...newSettings(),
      SHORTY_CLIENT_ID: credentials.clientId,
      SHORTY_CLIENT_SECRET: credentials.clientSecret,
    };
    const hang = new URL('./hang-report-thread.mjs', import.meta.url).href;
    const server = await serve({ ...settings, NODE_OPTIONS: `--import ${hang}` });
    const token = await tokenOf(server.origin, credentials);
    const link = { targetUrl: 'https://example.com/', customSlug: 'visited' };
    const made = await call(server.origin, token, '/urls', link);
    const headers = { 'user-agent': browser };
    await fetch(`${server.origin}/visited`, { redirect: 'manual', headers });
    const report = call(server.origin, token, '/analytics/overview').catch(() => undefined);
    await server.until(/the report thread hangs/);
    const startedAt = performance.now();
    server.child.kill('SIGTERM');
    await once(server.child, 'exit');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await report;

    const next = await serve(settings);
    const again = await tokenOf(next.origin, credentials);
    await expect
      .poll(() => call(next.origin, again, `/urls/${made.data.id}`), { timeout: 10_000 })
      .toMatchObject({ data: { clickCount: 1 } });
  }, 60_000);
});

it('SIGTERM ends the merges of many organizations within 3 s, and loses no visit', async () => {
  const organizations = 2_000;
  const perLink = 10;
  const settings = await newDatabase();
  const databaseUrl = String(settings.SHORTY_DATABASE_URL);
  const database = openStorage({ databaseUrl, durability: 'process' });
  await addLinks(database, organizations, 1);
  const outbox = new EventOutbox(database, { newId: () => 'event' });
  const repository = new VisitRepository(database, { outbox, thresholds: [] });
  const visits = Array.from({ length: organizations * perLink }, (_, index) =>
    makeVisit({ urlId: 1 + (index % organizations) }),
  );
  const to = { segment: 1, offset: 1 };
  // Old rows, so that their merge is due when the server starts.
  expect(await repository.store('writer', journalStart, to, { visits }, 1)).toBe(true);
  await database.close();
  const file = new SqliteHandle(databaseUrl.slice('file:'.length), { readonly: true });
  onTestFinished(() => {
    file.close();
  });
  const statement = file.prepare('select count(*) from visits where level > 0').pluck();
  const merged = () => Number(statement.get());

  const server = await serve({ ...settings, SHORTY_SECRET_KEY: 'stored-somewhere-else' });
  await expect
    .poll(merged, { message: 'merged rows', timeout: 30_000, interval: 5 })
    .toBeGreaterThan(0);
  const startedAt = performance.now();
  server.child.kill('SIGTERM');
  const { code: exitCode, stderr } = await server.ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.any(String) });
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  // The merges had begun, and had not ended.
  expect(merged()).toBeLessThan(organizations);
  const { code, stdout } = await command(settings, 'doctor', '--check');
  expect(stdout).toContain('20,000 clicks and 0 scans. Link counters compared: 2,000.\n');
  expect(code).toBe(0);
});
