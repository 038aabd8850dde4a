import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/create-server.js';
import { takeBackup } from '../../src/operations/backup/take-backup.js';
import type { ServerOptions } from '../../src/server-options.js';
import { keyIdOf } from '../../src/storage/keyring.js';
import { findDatabaseFile } from '../../src/storage/locate-database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { countStored, encryptStored } from '../../src/storage/stored-secrets.js';
import {
  checkServerKeys,
  forgetOtherKeys,
  requireNoOtherServerKey,
  unlockSecrets,
} from '../../src/storage/unlock-secrets.js';
import { type Caller, callerOf, startServer } from '../api/start-server.js';
import { emptyDatabase, engine } from '../engine.js';
import { receiver, verify } from '../webhooks/receiver.js';
import { rowsWith } from './rows-with.js';

const [oldKey, newKey] = ['the-old-key-of-the-tests', 'the-new-key-of-the-tests'] as const;
const headerValue = 'Bearer for-the-receiver-only';

/** Starts a server, and others after it on the same database. */
async function start(options: ServerOptions = { secretKey: oldKey }) {
  const empty = await emptyDatabase();
  onTestFinished(() => empty.remove());
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

/** Returns which files of a SQLite database, and of a backup of it, contain a text. */
async function filesWith(databaseUrl: string, texts: readonly string[]): Promise<string[]> {
  const path = findDatabaseFile(databaseUrl) as string;
  const folder = dirname(path);
  await takeBackup({ databasePath: path, to: join(folder, 'backup.db'), thresholds: [] });
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((each) => each.isFile()).map((each) => each.name);
  expect(names).toEqual(expect.arrayContaining(['shorty.db', 'shorty.db-wal', 'backup.db']));
  return entries
    .filter((each) => each.isFile())
    .filter((each) => {
      const content = readFileSync(join(each.parentPath, each.name), 'latin1');
      return texts.some((text) => content.includes(text));
    })
    .map((each) => each.name);
}

it('retains the key that a server with a database in memory has generated', async () => {
  const { server, stop } = await startServer({ databaseUrl: ':memory:' });
  onTestFinished(stop);
  await checkServerKeys(server.database, 0);
});

it('no secret is in the database, its files and a backup, and repeated requests return each again', async () => {
  const { api, databaseUrl } = await start();
  const secrets: string[] = [headerValue, api.credentials.clientSecret, api.token];
  const repeat = async (
    send: (headers: Record<string, string>) => Promise<{ status: number; text: string }>,
    key: string,
  ) => {
    const [first, second] = [
      await send({ 'idempotency-key': key }),
      await send({ 'idempotency-key': key }),
    ];
    expect(first.status, first.text).toBeLessThan(300);
    const shown = first.text.match(/(?:shorty_(?:cs|ak|ws)_|whsec_)[\w+/=-]{20,}/g) ?? [];
    expect(shown.length).toBeGreaterThan(0);
    for (const secret of shown) expect(second.text).toContain(secret);
    secrets.push(...shown);
    return JSON.parse(first.text).data;
  };
  const body = {
    url: 'https://receiver.example/',
    events: ['url.created'],
    headers: { 'X-Gateway': headerValue },
  };
  const { id } = await repeat((headers) => api.call('createWebhook', { body, headers }), 'w');
  const params = { id };
  for (const key of ['r1', 'r2']) {
    await repeat((headers) => api.call('rotateWebhookSecret', { params, headers }), key);
  }
  const other = { 'X-Other': `${headerValue}-2` };
  await api.call('updateWebhook', { params, body: { headers: other } });
  await repeat((headers) => api.call('createWebhookStream', { headers }), 's');
  await repeat((headers) => api.call('createApiKey', { body: { name: 'k' }, headers }), 'k');
  const organization = await repeat(
    (headers) =>
      api.operator.call('createOrganization', { body: { name: 'o', plan: 'free' }, headers }),
    'o',
  );
  await repeat(
    (headers) =>
      api.operator.call('createClient', { params: { id: organization.id }, body: {}, headers }),
    'c',
  );
  expect(new Set(secrets).size).toBe(secrets.length);
  for (const secret of secrets) expect(await rowsWith(api.server.database, secret)).toEqual([]);
  const { byKey, unreadable } = await countStored(api.server.database);
  // Three live secrets, a header, the stream's secret, and the results of four requests.
  expect([...byKey]).toEqual([[keyIdOf(oldKey), 9]]);
  expect(unreadable).toEqual([]);
  if (engine() === 'sqlite') expect(await filesWith(databaseUrl, secrets)).toEqual([]);
});

it('the token endpoint ignores an Idempotency-Key', async () => {
  const { api } = await start();
  const tokens = [];
  for (let at = 0; at < 2; at += 1) {
    const response = await api.visit('/api/v1/auth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'token' },
      body: JSON.stringify(api.credentials),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('idempotency-replayed')).toBeNull();
    tokens.push((response.data as { accessToken: string }).accessToken);
  }
  expect(tokens[0]).not.toBe(tokens[1]);
  expect(
    await api.server.database.read.selectFrom('idempotency_keys').selectAll().execute(),
  ).toEqual([]);
});

it('what an earlier version stored is encrypted at the start, and works as before', async () => {
  const { api, databaseUrl, restart, database } = await start();
  const endpoint = await receiver();
  const { secret } = await createWebhook(api, endpoint.url, 'create');
  // As version 0.1.0 has it.
  await api.server.database.writeDirectly(async (transaction) => {
    const headers = JSON.stringify({ 'X-Gateway': headerValue });
    await transaction
      .updateTable('webhooks')
      .set({
        secret,
        previous_secret: 'shorty_ws_previous',
        previous_secret_expires_at: 1,
        headers,
      })
      .execute();
    const [stored] = await transaction.selectFrom('idempotency_keys').selectAll().execute();
    const place = ['idempotency_keys', 'result', api.organizationId, 'create'];
    const result = api.server.database.keyring.decrypt(String(stored?.result), place);
    await transaction.updateTable('idempotency_keys').set({ result }).execute();
    await transaction.deleteFrom('secret_keys').execute();
  });
  const caller = await restart({ secretKey: oldKey });
  const secrets = [secret, 'shorty_ws_previous', headerValue];
  for (const each of secrets) expect(await rowsWith(database(), each)).toEqual([]);
  await expectDelivery(caller, endpoint, secret, api.clock());
  const again = await caller.call('createWebhook', {
    body: {
      url: endpoint.url,
      events: ['url.created'],
      headers: { 'X-Gateway': headerValue },
    },
    headers: { 'idempotency-key': 'create' },
  });
  expect(again.data.secret).toBe(secret);
  if (engine() === 'postgres') return;
  await database().maintain();
  // The old values were overwritten. The log still has pages from before until it is reset.
  await sql`pragma wal_checkpoint(truncate)`.execute(database().read);
  expect(await filesWith(databaseUrl, secrets)).toEqual([]);
});

it('a key is replaced without an interruption, and the old one can then be removed', async () => {
  const { api, restart, database } = await start();
  const endpoint = await receiver();
  const { id, secret } = await createWebhook(api, endpoint.url, 'create');
  const caller = await restart({ secretKey: newKey, previousSecretKey: oldKey });
  await expectDelivery(caller, endpoint, secret, api.clock());
  await caller.call('rotateWebhookSecret', { params: { id } });
  // The replaced secret signs `X-Service-Signature` until it ends.
  await expectDelivery(caller, endpoint, secret, api.clock());
  const before = await countStored(database());
  // The header, and the result of the create.
  expect(before.byKey.get(keyIdOf(oldKey))).toBe(2);
  expect(await encryptStored(database(), { all: true })).toEqual({ changed: 2, unreadable: [] });
  expect(await encryptStored(database(), { all: true })).toEqual({ changed: 0, unreadable: [] });
  // A process that was killed before the end runs again. The old key is still required.
  await expect(restart({ secretKey: newKey })).rejects.toThrow(`under the key ${keyIdOf(oldKey)}`);
});

it('a running server notices that its key was replaced, and no start without it hides its values', async () => {
  const started = await start();
  await createWebhook(started.api, 'https://receiver.example/');
  const database = started.database();
  const now = started.api.clock();
  const check = () => checkServerKeys(database, now);
  await check();
  const other = openStorage({ ...started, durability: 'process' });
  onTestFinished(() => other.close());
  // The settings of another node, for which this one was not restarted.
  await unlockSecrets(other, [newKey, oldKey], now);
  await expect(check()).rejects.toThrow(
    `under the key ${keyIdOf(newKey)}, which this server does not have: restart it`,
  );
  database.keyring.use([oldKey, newKey]);
  await check();
  await forgetOtherKeys(other, [newKey]);
  await expect(check()).rejects.toThrow(
    `under the key ${keyIdOf(oldKey)}, which shorty-server secrets rotate has replaced`,
  );
  await check();
  await expect(unlockSecrets(other, [newKey], now)).rejects.toThrow(keyIdOf(oldKey));
});

it('secrets are not rotated while a server encrypts under another key', async () => {
  const started = await start();
  const node = started.database();
  const now = started.api.clock();
  const rotating = openStorage({ ...started, durability: 'process' });
  onTestFinished(() => rotating.close());
  await unlockSecrets(rotating, [newKey, oldKey], now);
  // What a node does every ten seconds.
  async function* rounds(count: number) {
    for (let round = 0; round < count; round += 1) {
      yield await checkServerKeys(node, now).catch(() => undefined);
    }
  }
  const require = () => requireNoOtherServerKey(rotating, rounds(2));
  if (engine() === 'sqlite') {
    // A second server cannot start on the file, so its server has both keys.
    await require();
    return;
  }
  const refusal = new RegExp(
    `encrypts secrets under the key ${keyIdOf(oldKey)}, and may not have the key ${keyIdOf(newKey)}: restart each server`,
  );
  await expect(require()).rejects.toThrow(refusal);
  // The node has the new key, but still encrypts under the old one.
  node.keyring.use([oldKey, newKey]);
  await expect(require()).rejects.toThrow(refusal);
  // A node that starts meanwhile confirms its key at once.
  const starting = async function* () {
    yield await unlockSecrets(node, [oldKey, newKey], now);
  };
  await expect(requireNoOtherServerKey(rotating, starting())).rejects.toThrow(refusal);
  node.keyring.use([newKey, oldKey]);
  await require();
});

it('a start with another key is refused in one sentence, and changes nothing', async () => {
  const { api, restart, stop, databaseUrl } = await start();
  const { id } = await createWebhook(api, 'https://receiver.example/');
  await expect(restart({ secretKey: newKey })).rejects.toThrow(
    new RegExp(
      `^stored secrets are encrypted under the key ${keyIdOf(oldKey)}, and SHORTY_SECRET_KEY is the key ${keyIdOf(newKey)}: set the right key, .*--new-key.*$`,
    ),
  );
  await stop();
  const database = openStorage({ databaseUrl, durability: 'process', secretKeys: [oldKey] });
  onTestFinished(() => database.close());
  const { byKey, unreadable } = await countStored(database);
  expect({ byKey: [...byKey], unreadable }).toEqual({
    byKey: [[keyIdOf(oldKey), 2]],
    unreadable: [],
  });
  database.keyring.use([newKey]);
  expect((await countStored(database)).unreadable).toEqual([
    `webhooks.secret of ${id} is encrypted under the key ${keyIdOf(oldKey)}, which is not set`,
    `webhooks.headers of ${id} X-Gateway is encrypted under the key ${keyIdOf(oldKey)}, which is not set`,
  ]);
});

it('with --new-key, webhooks are disabled until their secrets are rotated', async () => {
  const { api, restart, database } = await start();
  const endpoint = await receiver();
  const { id } = await createWebhook(api, endpoint.url, 'create');
  const caller = await restart({ secretKey: newKey, allowsNewKey: true });
  const params = { id };
  const { data } = await caller.call('getWebhook', { params });
  expect(data).toMatchObject({ isActive: false, headerNames: [] });
  const rotated = await caller.call('rotateWebhookSecret', { params });
  const headers = { 'X-Gateway': headerValue };
  await caller.call('updateWebhook', { params, body: { isActive: true, headers } });
  await caller.call('createUrl', { body: { targetUrl: 'https://example.com/' } });
  await endpoint.arrived(1);
  const [delivery] = endpoint.received;
  expect(delivery?.headers['x-gateway']).toBe(headerValue);
  expect(delivery?.headers['x-service-signature-next']).toBeDefined();
  expect((await countStored(database())).unreadable).toEqual([]);
  expect(rotated.status).toBe(200);
  // The new key alone is registered.
  await restart({ secretKey: newKey });
});

it('a value that was copied to another row is not used, and others are delivered', async () => {
  const { api, database } = await start();
  const [endpoint, victim] = [await receiver(), await receiver()];
  const { id, secret } = await createWebhook(api, endpoint.url);
  const forged = await createWebhook(api, victim.url);
  await database().writeDirectly((transaction) =>
    transaction
      .updateTable('webhooks')
      .set({
        secret: (query) =>
          query.selectFrom('webhooks as w').select('w.secret').where('w.id', '=', id),
      })
      .where('id', '=', forged.id)
      .execute(),
  );
  await expectDelivery(api, endpoint, secret, api.clock());
  expect(victim.received).toEqual([]);
  expect((await countStored(database())).unreadable).toEqual([
    `webhooks.secret of ${forged.id} is damaged, or from another row`,
  ]);
  // Its owner can replace it. It signs nothing, so it does not remain.
  const rotated = await api.call('rotateWebhookSecret', { params: { id: forged.id } });
  expect(rotated.data.previousSecretExpiresAt).toBe(new Date(api.clock()).toISOString());
  const { data } = await api.call('getWebhook', { params: { id: forged.id } });
  expect(data).toMatchObject({ previousSecrets: [] });
  expect((await countStored(database())).unreadable).toEqual([]);
});
