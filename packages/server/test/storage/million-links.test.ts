import type SqliteHandle from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/create-server.js';
import { temporaryFile } from './temporary-database.js';

const links = 1_000_000;
const boundMs = 300;
const rounds = 5;

/** What the dashboard requests until the list of links is there. */
const requests = [
  'session',
  'me',
  'domains?limit=100',
  'urls?limit=50&isDeleted=false&view=full',
] as const;

it(`the requests for the list of a million links take ${boundMs} ms of processor`, async () => {
  const file = temporaryFile();
  const server = createServer({ databaseUrl: `file:${file.path}` });
  onTestFinished(async () => {
    await server.stop();
    file.remove();
  });
  await server.start();
  let cookie = '';
  const send = async (path: string, body?: object) => {
    const response = await fetch(`${server.url}/api/v1/${path}`, {
      headers: { cookie, origin: server.url, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    expect(response.ok, path).toBe(true);
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return ((await response.json()) as { readonly data: { readonly total?: number } }).data;
  };
  const token = server.invitationUrl?.split('#')[1];
  const password = 'correct horse battery';
  await send('session/invitation', { token, email: 'owner@example.com', password });
  await send('urls', { targetUrl: 'https://example.com/', tags: ['spring'] });
  copyLink(file.other());

  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = process.cpuUsage();
    for (const path of requests) {
      const { total } = await send(path);
      if (path.startsWith('urls')) expect(total).toBe(links);
    }
    // Not the time that elapses, which depends on what else the machine does.
    const { user, system } = process.cpuUsage(startedAt);
    times.push((user + system) / 1000);
  }
  // The first rounds compile the code.
  expect(Math.min(...times), times.join()).toBeLessThan(boundMs);
});

/** Stores copies of the only link, until there are enough. */
function copyLink(database: SqliteHandle.Database): void {
  const columns = database.pragma('table_info(urls)') as { readonly name: string }[];
  const values: Readonly<Record<string, string>> = {
    id: 'n',
    short_code: "'code' || n",
    created_at: 'created_at - n',
  };
  const names = columns.map(({ name }) => name);
  database.exec(`with recursive numbers (n) as
      (select 2 union all select n + 1 from numbers where n < ${links})
    insert into urls (${names}) select ${names.map((name) => values[name] ?? name)} from numbers, urls
    where urls.id = 1`);
  // As if they had been stored long ago.
  database.pragma('wal_checkpoint(truncate)');
}
