import { randomUUID } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Shorty } from '@shorty/sdk';
import { createServer } from '@shorty/server';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { mergeVisits } from '../../packages/server/src/analytics/ingest/merge-visits.js';
import type { Database } from '../../packages/server/src/storage/database.js';
import { openStorage } from '../../packages/server/src/storage/open-storage.js';
import { poll } from '../../packages/server/test/poll.js';
import { startPostgres } from '../../packages/server/test/postgres/start-postgres.js';
import { connect } from '../lib/api.js';
import { newNode } from '../lib/nodes.js';
import { freePort, scratchFolder, startTool } from '../lib/processes.js';
import { startReceiver } from '../lib/receiver.js';
import { headers as visitor } from '../lib/visitors.js';

const postgres = await startPostgres();
afterAll(() => postgres?.stop());

/** Starts a PgBouncer before a PostgreSQL. Returns the URL of a database through it. */
async function startPgBouncer(
  poolMode: 'session' | 'transaction' | 'statement',
  database: string,
  poolSize = 40,
): Promise<string> {
  const folder = scratchFolder();
  const port = await freePort();
  const { port: serverPort, username, password } = new URL(postgres.urlOf(database));
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${serverPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
default_pool_size = ${poolSize}
`,
  );
  chmodSync(folder, 0o755);
  // It refuses to run as root, and changes to this user itself.
  const asNobody = process.getuid?.() === 0 ? ['--user', 'nobody'] : [];
  await startTool('pgbouncer', [...asNobody, config], port);
  return postgres.urlOf(database).replace(`:${serverPort}/`, `:${port}/`);
}

describe('behind PgBouncer', () => {
  it('a server works when it pools sessions', async () => {
    await postgres.createDatabase('sessions');
    const pooled = await startPgBouncer('session', 'sessions');
    const databaseUrl = `${pooled}?pool_mode=session`;
    const server = createServer({ databaseUrl, journalFolder: scratchFolder() });
    onTestFinished(() => server.stop());
    await server.start();
    const { clientId = '', clientSecret = '' } = server.credentials ?? {};
    const shorty = new Shorty({ baseUrl: server.url, clientId, clientSecret });
    const url = await shorty.urls.create({ targetUrl: 'https://example.com/' });
    const visit = await fetch(`${server.url}/${url.shortCode}`, { redirect: 'manual' });
    expect(visit.status).toBe(307);
    // The startup packet does not have the time limits, because PgBouncer would refuse it.
    const { read } = server.database;
    const limit = read.selectNoFrom(({ fn, val }) =>
      fn<string>('current_setting', [val('statement_timeout')]).as('statement'),
    );
    expect(await limit.execute()).toEqual([{ statement: '10s' }]);
  });

  it('two nodes work when it pools transactions, with fewer connections to PostgreSQL than they have', async () => {
    const poolSize = 10;
    await postgres.createDatabase('transactions');
    const pooled = await startPgBouncer('transaction', 'transactions', poolSize);
    const urlOf = () => `${pooled}?pool_mode=transaction`;
    const nodes = [await newNode({ ...postgres, urlOf }), await newNode({ ...postgres, urlOf })];
    const [first, second] = nodes.map(({ origin }) => connect(origin)) as [Shorty, Shorty];
    const query = <Row extends object>(text: string) => postgres.query<Row>(text, 'transactions');

    const webhooks: { secret: string }[] = [];
    const delivered: string[] = [];
    const receiver = await startReceiver(
      () => webhooks[0]?.secret ?? '',
      ({ type }, id) => delivered.push(`${type} ${id}`),
    );
    webhooks.push(
      await first.webhooks.create({ url: receiver.url, events: ['url.created', 'url.updated'] }),
    );

    // Writes of both nodes at once, each in transactions of its own.
    const before = 'https://example.com/before';
    const link = await first.urls.create({ targetUrl: before });
    await Promise.all(
      Array.from({ length: 39 }, (_, at) =>
        (at % 2 === 0 ? first : second).urls.create({ targetUrl: before }),
      ),
    );
    await second.urls.bulkCreate(Array.from({ length: 30 }, () => ({ targetUrl: before })));
    expect((await first.urls.list({ limit: 1 })).total).toBe(70);
    let visits = 0;
    const visit = async (origin: string) => {
      const address = `${origin}/${link.shortCode}`;
      const response = await fetch(address, { redirect: 'manual', headers: visitor });
      expect(response.status).toBe(307);
      visits += 1;
      return response.headers.get('location');
    };
    const visitAll = () => Promise.all(nodes.map(({ origin }) => visit(origin)));
    for (let round = 0; round < 20; round += 1) expect(await visitAll()).toEqual([before, before]);

    // The second node evicts the link that the first one changes.
    const after = 'https://example.com/after';
    await first.urls.update(link.id, { targetUrl: after });
    await poll('both nodes have the new target', visitAll, (targets) =>
      targets.every((target) => target === after),
    );

    const clicks = async () => (await second.urls.get(link.id)).clickCount;
    await poll('the visits are stored', clicks, (count) => count === visits);
    const database = openStorage({ databaseUrl: urlOf(), durability: 'process' });
    onTestFinished(() => database.close());
    // The nodes merge too, and a merge whose rows have changed does nothing.
    await poll(
      'the visits are merged',
      async () => {
        // A clock that is ahead does not wait until the visits have a minute.
        await mergeVisits(database, Date.now() + 120_000);
        return query('select 1 from visits where level = 0');
      },
      (rows) => rows.length === 0,
    );
    expect((await query('select 1 from visits')).length).toBeGreaterThan(0);
    expect(await clicks()).toBe(visits);
    expect((await first.urls.clicks(link.id)).totals.totalClicks).toBe(visits);

    // 70 links were created, and one was updated. A delivery may come twice.
    await poll(
      'the deliveries',
      async () => new Set(delivered).size,
      (count) => count === 71,
    );
    expect(receiver.errors).toEqual([]);

    // Wrong passwords are counted together.
    const locked = await first.urls.create({
      targetUrl: before,
      isPasswordProtected: true,
      password: 'right',
    });
    const guesses = Array.from({ length: 8 }, () =>
      nodes.map(async ({ origin }) => {
        const body = new URLSearchParams({ password: 'wrong' });
        return (await fetch(`${origin}/${locked.shortCode}`, { method: 'POST', body })).status;
      }),
    );
    const statuses = await Promise.all(guesses.flat());
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);

    const sessions = await query<{ count: string }>(
      "select count(*) from pg_stat_activity where datname = 'transactions' and pid <> pg_backend_pid()",
    );
    expect(Number(sessions[0]?.count)).toBeLessThanOrEqual(poolSize);
    for (const node of nodes) await node.stop();
  });

  it('limits the time of transactions when it pools them, and changes no session', async () => {
    await postgres.createDatabase('limits');
    const pooled = await startPgBouncer('transaction', 'limits', 1);
    const databaseUrl = `${pooled}?pool_mode=transaction`;
    const database = openStorage({ databaseUrl, durability: 'process' });
    onTestFinished(() => database.close());
    await database.migrate();
    const limitIn = async (db: Database['read']) => {
      const setting = db.selectNoFrom(({ fn, val }) =>
        fn<string>('current_setting', [val('statement_timeout')]).as('limit'),
      );
      return (await setting.executeTakeFirstOrThrow()).limit;
    };
    expect(await database.writeDirectly(limitIn)).toBe('10s');
    expect(await database.snapshot(limitIn)).toBe('10s');
    expect(await limitIn(database.read)).toBe('0');
    const unlimited = openStorage({ databaseUrl, durability: 'process', withoutTimeout: true });
    onTestFinished(() => unlimited.close());
    expect(await unlimited.writeDirectly(limitIn)).toBe('0');
  });

  it.each([
    ['transaction', '', /a pooler.* add the parameter pool_mode=transaction/],
    ['statement', '?pool_mode=transaction', /storage is unavailable/],
  ] as const)(
    'a server refuses to start when it pools connections by %s and the address has %j',
    async (poolMode, parameter, message) => {
      const name = `by_${randomUUID().replaceAll('-', '')}`;
      await postgres.createDatabase(name);
      const databaseUrl = (await startPgBouncer(poolMode, name)) + parameter;
      const server = createServer({ databaseUrl, journalFolder: scratchFolder() });
      onTestFinished(() => server.stop());
      await expect(server.start()).rejects.toThrow(message);
    },
  );
});
