import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/create-server.js';
import { takeBackup } from '../../src/operations/backup/take-backup.js';
import type { ServerOptions } from '../../src/server-options.js';
import type { Database } from '../../src/storage/database.js';
import { keyIdOf } from '../../src/storage/keyring.js';
import { findDatabaseFile } from '../../src/storage/locate-database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { checkSecrets, rotateSecrets } from '../../src/storage/secrets.js';
import { type Caller, callerOf, startServer } from '../api/start-server.js';
import { databaseForTest, engine } from '../engine.js';
import { receiver, verify } from '../webhooks/receiver.js';
import { filesWith, rowsWith } from './rows-with.js';

const [oldKey, newKey] = ['the-old-key-of-the-tests', 'the-new-key-of-the-tests'] as const;
const both = { secretKey: newKey, previousSecretKey: oldKey };
const headerValue = 'Bearer for-the-receiver-only';

/** Starts a server, and others after it on the same database. */
async function start(options: ServerOptions = { secretKey: oldKey }) {
  const empty = await databaseForTest();
  const shared = { ...empty, allowPrivateNetwork: true };
  const api = await startServer({ ...shared, ...options });
  let current = api.server;
  onTestFinished(() => current.stop());
  return {
    ...empty,
    api,
    async restart(others: ServerOptions): Promise<Caller> {
      await current.stop();
      const server = createServer({ ...shared, clock: api.clock, ...others });
      current = server;
      await server.start();
      return callerOf(server.url, api.token, api.organizationId);
    },
    stop: () => current.stop(),
    database: () => current.database,
  };
}

async function createWebhook(caller: Caller, url: string, key?: string) {
  const created = await caller.call('createWebhook', {
    body: { url, events: ['url.created'], headers: { 'X-Gateway': headerValue } },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
  expect(created.status, created.text).toBe(201);
  return created.data;
}

/** Fails unless the webhook gets the event of a new link, with its header and this secret's signature. */
async function expectDelivery(
  caller: Caller,
  endpoint: Awaited<ReturnType<typeof receiver>>,
  secret: string,
  now: number,
) {
  const before = endpoint.received.length;
  await caller.call('createUrl', { body: { targetUrl: 'https://example.com/' } });
  await endpoint.arrived(before + 1);
  const delivery = endpoint.received[before] as (typeof endpoint.received)[number];
  expect(delivery.headers['x-gateway']).toBe(headerValue);
  verify(delivery, secret, now);
}

// contract/writes.test.ts repeats each request, and gets its secrets again.
it('no secret is in the database, its files and a backup', async () => {
  const { api, databaseUrl } = await start();
  const secrets: string[] = [headerValue, api.credentials.clientSecret, api.token];
  /** Sends a request whose result is stored with its secrets, and notes these. */
  const send = async <Data>(response: Promise<{ status: number; text: string; data: Data }>) => {
    const { status, text, data } = await response;
    expect(status, text).toBeLessThan(300);
    const shown = text.match(/(?:shorty_(?:cs|ak|ws)_|whsec_)[\w+/=-]{20,}/g) ?? [];
    expect(shown.length).toBeGreaterThan(0);
    secrets.push(...shown);
    return data;
  };
  const body = {
    url: 'https://receiver.example/',
    events: ['url.created'],
    headers: { 'X-Gateway': headerValue },
  };
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
  const { id } = await send(api.call('createWebhook', { body, ...keyed('w') }));
  const params = { id };
  await send(api.call('rotateWebhookSecret', { params, ...keyed('r') }));
  const other = { 'X-Other': `${headerValue}-2` };
  await api.call('updateWebhook', { params, body: { headers: other } });
  await send(api.call('createApiKey', { body: { name: 'k' }, ...keyed('k') }));
  const plan = { name: 'o', plan: 'free' } as const;
  const organization = await send(
    api.operator.call('createOrganization', { body: plan, ...keyed('o') }),
  );
  const ofIt = { params: { id: organization.id }, body: {} };
  await send(api.operator.call('createClient', { ...ofIt, ...keyed('c') }));
  expect(new Set(secrets).size).toBe(secrets.length);
  for (const secret of secrets) expect(await rowsWith(api.server.database, secret)).toEqual([]);
  // The secrets of the webhook, its headers, the results of requests, and the key of the visitor hashes.
  expect(await checkSecrets(api.server.database)).toEqual({ count: 8, unreadable: [] });
  if (engine() === 'postgres') return;
  const databasePath = findDatabaseFile(databaseUrl) as string;
  const folder = dirname(databasePath);
  await takeBackup({ databasePath, to: join(folder, 'backup.db'), thresholds: [] });
  const names = ['shorty.db', 'shorty.db-wal', 'backup.db'];
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(names));
  for (const secret of secrets) expect(filesWith(folder, secret)).toEqual([]);
});

/** Returns the rows that name a key. */
const rowsUnder = (database: Database, key: string) => rowsWith(database, `enc:${keyIdOf(key)}:`);

it('keys are replaced on one node after another, and the old one can then be removed', async () => {
  const { api, databaseUrl, restart, database } = await start();
  const endpoint = await receiver();
  const { secret } = await createWebhook(api, endpoint.url, 'create');
  const node = await restart(both);
  await expectDelivery(node, endpoint, secret, api.clock());
  // Nodes that have only the old key can read this, too.
  const { id } = await createWebhook(node, 'https://receiver.example/');
  expect(await rowsUnder(database(), newKey)).toEqual([]);

  // The command runs beside the server.
  const command = openStorage({ databaseUrl, durability: 'process', secretKeys: [newKey, oldKey] });
  onTestFinished(() => command.close());
  const hashKey = () => command.read.selectFrom('visitor_keys').select('value').execute();
  const before = await hashKey();
  // Two secrets, two headers, the result of the create, and the key of the visitor hashes.
  expect(await rotateSecrets(command)).toEqual({ changed: 6, unreadable: [] });
  expect(await rotateSecrets(command)).toEqual({ changed: 0, unreadable: [] });
  expect(await rowsUnder(command, oldKey)).toEqual([]);
  const place = ['visitor_keys', '0'];
  const [after] = await hashKey();
  expect(after).not.toEqual(before[0]);
  expect(command.keyring.decrypt(`${after?.value}`, place)).toBe(
    command.keyring.decrypt(`${before[0]?.value}`, place),
  );
  await node.call('rotateWebhookSecret', { params: { id } });
  expect(await rowsUnder(command, oldKey)).toEqual([]);
  await expect(restart({ secretKey: oldKey })).rejects.toThrow(`under the key ${keyIdOf(newKey)}`);
  await expectDelivery(await restart({ secretKey: newKey }), endpoint, secret, api.clock());
});

it('a rotation that was ended in the middle continues, and requires the old key until then', async () => {
  const { api, restart, database, databaseUrl } = await start();
  await createWebhook(api, 'https://receiver.example/', 'create');
  const command = openStorage({ databaseUrl, durability: 'process', secretKeys: [newKey, oldKey] });
  onTestFinished(() => command.close());
  let writes = 0;
  const killed: Database = {
    ...command,
    async writeDirectly(work, lock) {
      writes += 1;
      if (writes > 2) throw new Error('killed');
      return command.writeDirectly(work, lock);
    },
  };
  await expect(rotateSecrets(killed)).rejects.toThrow('killed');
  for (const key of [oldKey, newKey]) expect(await rowsUnder(command, key)).not.toEqual([]);
  await expect(restart({ secretKey: newKey })).rejects.toThrow('set the old one as');
  await restart(both);
  await rotateSecrets(database());
  await restart({ secretKey: newKey });
});
