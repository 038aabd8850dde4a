import { Shorty } from '@shorty/sdk';
import { createServer } from '@shorty/server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  type PostgresServer,
  startPostgres,
} from '../../packages/server/test/postgres/start-postgres.js';
import { startPgBouncer } from '../lib/pgbouncer.js';
import { scratchFolder } from '../lib/processes.js';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

describe('behind PgBouncer', () => {
  it('a server works when it pools sessions', async () => {
    await postgres.createDatabase('sessions');
    const databaseUrl = await startPgBouncer(postgres, 'session', 'sessions');
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

  it.each(['transaction', 'statement'] as const)(
    'a server refuses to start when it pools connections by %s',
    async (poolMode) => {
      await postgres.createDatabase(`by_${poolMode}`);
      const databaseUrl = await startPgBouncer(postgres, poolMode, `by_${poolMode}`);
      const server = createServer({ databaseUrl, journalFolder: scratchFolder() });
      onTestFinished(() => server.stop());
      await expect(server.start()).rejects.toThrow(
        /PgBouncer assigns a server connection to each (transaction|statement).* set pool_mode = session/,
      );
    },
  );
});
