import { randomUUID } from 'node:crypto';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../../src/create-server.js';
import { callerOf, person as headers, startForTest } from '../../api/start-server.js';
import { expectNoErrorsOfDoctor } from '../../operator/server-process.js';
import { poll, thinkTime } from '../../poll.js';
import { scratchFolder } from '../../scratch-folder.js';
import { type PostgresServer, startPostgres } from '../start-postgres.js';

const targetUrl = 'https://example.com/';
const name = 'shorty';
const quick = ['-c', 'fsync=off', '-c', 'full_page_writes=off'];

/** A primary with synchronous replication. */
async function startPair(): Promise<{ primary: PostgresServer; replica: PostgresServer }> {
  const primary = await startPostgres(quick);
  onTestFinished(() => primary.stop());
  await primary.createDatabase(name);
  const replica = await primary.copy(quick, (folder) => follow(folder, primary));
  onTestFinished(() => replica.stop());
  await expect
    .poll(() => primary.query('select 1 from pg_stat_replication'), { timeout: 20_000 })
    .toHaveLength(1);
  await primary.query("alter system set synchronous_standby_names = '*'");
  await primary.query('select pg_reload_conf()');
  const isSynchronous = async () =>
    (await primary.query<{ sync_state: string }>('select sync_state from pg_stat_replication'))[0]
      ?.sync_state;
  await expect.poll(isSynchronous, { timeout: 20_000 }).toBe('sync');
  return { primary, replica };
}

/** Configures a replica in a data folder. */
function follow(dataFolder: string, primary: PostgresServer): void {
  const { hostname, port, username, password } = new URL(primary.urlOf(name));
  const source = `host=${hostname} port=${port} user=${username} password=${password}`;
  writeFileSync(join(dataFolder, 'standby.signal'), '');
  appendFileSync(join(dataFolder, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
}

it('a failover loses no link and no visit whose response was sent, and duplicates none', async () => {
  const { primary, replica } = await startPair();
  const journalFolder = scratchFolder();
  const { host } = new URL(replica.urlOf(name));
  const settings = {
    databaseUrl: primary.urlOf(name).replace(/(?=\/[^/]+$)/, `,${host}`),
    journalFolder,
    clock: Date.now,
  };
  const api = await startForTest(settings);
  const cached = await api.createLink();

  const created = new Map<string, string>();
  const requested: string[] = [];
  let refused = 0;
  let answered = 0;
  let isOver = false;
  const create = async (key: string) => {
    const response = await api.call('createUrl', {
      body: { targetUrl: targetUrl + key },
      headers: { 'idempotency-key': key },
    });
    if (response.status === 201) {
      expect(created.get(key) ?? response.data.id).toBe(response.data.id);
      created.set(key, response.data.id);
      return;
    }
    expect(response.outcome).toBe('503 UNAVAILABLE');
    refused += 1;
  };
  const work = [
    ...Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const key = randomUUID();
        requested.push(key);
        await create(key);
        await thinkTime(1);
      }
    }),
    (async () => {
      while (!isOver) {
        const { status } = await api.visit(`/${cached.shortCode}`, { headers });
        expect(status).toBe(307);
        answered += 1;
        await thinkTime(1);
      }
    })(),
  ];
  const moreThan = (count: number) =>
    expect.poll(() => created.size, { timeout: 20_000, interval: 20 }).toBeGreaterThan(count);
  await moreThan(100);
  await primary.kill();
  const atKill = answered;
  await poll(
    'redirects without the primary',
    () => answered,
    (count) => count > atKill + 200,
  );
  // The replica is still read-only.
  expect((await api.visit('/health/ready')).status).toBe(503);
  const beforePromotion = created.size;
  const promotedAt = performance.now();
  await replica.query('select pg_promote()');
  await moreThan(beforePromotion + 100);
  const backAfterMs = performance.now() - promotedAt;
  expect(backAfterMs).toBeLessThan(15_000);
  isOver = true;
  await Promise.all(work);
  expect(refused).toBeGreaterThan(0);
  expect((await api.visit('/health/ready')).status).toBe(200);

  const acknowledged = new Map(created);
  const listed = async () =>
    replica.query<{ id: number; target_url: string; short_code: string }>(
      'select id, target_url, short_code from urls where id <> (select min(id) from urls)',
      name,
    );
  const there = new Map((await listed()).map((row) => [row.target_url, String(row.id)]));
  for (const [key, id] of acknowledged) expect(there.get(targetUrl + key)).toBe(id);
  // A request that failed with 503 succeeds on a retry, once.
  for (const key of requested) await create(key);
  const rows = await listed();
  expect(rows.map((row) => row.target_url).sort()).toEqual(
    requested.map((key) => targetUrl + key).sort(),
  );
  expect(new Set(rows.map((row) => row.short_code)).size).toBe(requested.length);

  const clicks = async () => (await api.getLink(cached.id)).clickCount;
  await expect.poll(clicks, { message: 'clickCount', timeout: 10_000 }).toBe(answered);
  // A visit that is counted later proves that no earlier one is counted again.
  expect((await api.visit(`/${cached.shortCode}`, { headers })).status).toBe(307);
  await expect.poll(clicks, { message: 'clickCount', timeout: 10_000 }).not.toBe(answered);
  expect(await clicks()).toBe(answered + 1);

  // The old primary returns: as a replica, and as a read-only server.
  const readsOnly = ['-c', 'default_transaction_read_only=on'];
  const comebacks = [
    () => {
      writeFileSync(join(primary.dataFolder, 'standby.signal'), '');
      return primary.start();
    },
    () => {
      rmSync(join(primary.dataFolder, 'standby.signal'));
      return primary.start(readsOnly);
    },
  ];
  for (const comeBack of comebacks) {
    await comeBack();
    const countOld = () => primary.query('select count(*) from urls', name);
    const old = await countOld();
    // A running server must reconnect; a starting server tries the old primary first.
    await replica.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    const starting = createServer(settings);
    await starting.start();
    for (const { url } of [api.server, starting]) {
      const caller = callerOf(url, api.token, api.organizationId);
      const createOne = async () =>
        (await caller.call('createUrl', { body: { targetUrl } })).status;
      await expect.poll(createOne, { timeout: 10_000 }).toBe(201);
      expect(await createOne()).toBe(201);
    }
    await starting.stop();
    expect(await countOld()).toEqual(old);
    await primary.kill();
  }
  const environment = {
    SHORTY_DATABASE_URL: settings.databaseUrl,
    SHORTY_JOURNAL_FOLDER: journalFolder,
  };
  await expectNoErrorsOfDoctor(environment);
}, 120_000);
