import type SqliteHandle from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/create-server.js';
import { fileForTest } from './temporary-database.js';

const links = 1_000_000;
const boundMs = 300;
// A request that read all links would take hundreds of milliseconds.
const boundOfOneMs = 60;
const rounds = 5;
// The server has reserved the ids before it.
const firstCopy = 10_000;

/** What the dashboard requests until the list of links is there. */
const requests = [
  'session',
  'me',
  'domains?limit=100',
  'urls?limit=50&isDeleted=false&view=full',
] as const;

/** What needs the same time for any number of links: it runs on the thread that redirects. */
const requestsOfOne: Readonly<
  Record<string, (round: number) => readonly [string, string, object?]>
> = {
  create: (round) => ['POST', 'urls', { targetUrl, customSlug: `new-${round}` }],
  'create once': () => ['POST', 'urls', { targetUrl, utmSource: 'mail', ifExists: 'return' }],
  'refused slug': () => ['POST', 'urls', { targetUrl, customSlug: 'code20000' }],
  change: (round) => [
    'PATCH',
    `urls/${firstCopy + round}`,
    { title: `round ${round}`, isActive: false },
  ],
  delete: (round) => ['DELETE', `urls/${firstCopy + 10 + round}`],
  erasure: (round) => ['DELETE', `urls/${firstCopy + 20 + round}?erase=true`],
  read: (round) => ['GET', `urls/${round + 500_000}`],
  lookup: (round) => ['GET', `urls/lookup?shortUrl=code${round + 600_000}`],
  'next page': () => ['GET', `urls?limit=25&after=${nextAfter}`],
  usage: () => ['GET', 'usage'],
};
const targetUrl = 'https://example.com/';
let nextAfter = '';

it(`the requests for the list of a million links take ${boundMs} ms of processor, others ${boundOfOneMs} ms`, async () => {
  const file = fileForTest();
  const server = createServer({ databaseUrl: `file:${file.path}` });
  onTestFinished(() => server.stop());
  await server.start();
  let cookie = '';
  const ask = async (path: string, method = 'GET', body?: object) => {
    const response = await fetch(`${server.url}/api/v1/${path}`, {
      method,
      headers: { cookie, origin: server.url, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const { data } = (await response.json()) as { readonly data?: Page };
    return { status: response.status, data };
  };
  const send = async (path: string, body?: object) => {
    const { status, data } = await ask(path, body && 'POST', body);
    expect(status, path).toBeLessThan(300);
    return data as Page;
  };
  const token = server.invitationUrl?.split('#')[1];
  const password = 'correct horse battery';
  await send('session/invitation', { token, email: 'owner@example.com', password });
  await send('urls', { targetUrl, tags: ['spring'] });
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

  nextAfter = (await send('urls?limit=25&offset=1000')).nextAfter as string;
  for (const [name, request] of Object.entries(requestsOfOne)) {
    const ofOne: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const [method, path, body] = request(round);
      const startedAt = process.cpuUsage();
      const { status } = await ask(path, method, body);
      const { user, system } = process.cpuUsage(startedAt);
      if (name === 'refused slug') expect(status).toBe(409);
      else expect(status, name).toBeLessThan(300);
      ofOne.push((user + system) / 1000);
    }
    expect(Math.min(...ofOne), `${name}: ${ofOne.join()}`).toBeLessThan(boundOfOneMs);
  }
});

interface Page {
  readonly total?: number;
  readonly nextAfter?: string | null;
}

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
      (select ${firstCopy} union all select n + 1 from numbers where n < ${firstCopy + links - 2})
    insert into urls (${names}) select ${names.map((name) => values[name] ?? name)} from numbers, urls
    where urls.id = 1`);
  database.exec(`insert into url_keys (domain_key, key, url_id) select '', short_code, id from urls
    where id > 1`);
  database.exec('update url_id_counter set last_id = (select max(id) from urls)');
  // As if they had been stored long ago.
  database.pragma('wal_checkpoint(truncate)');
}
