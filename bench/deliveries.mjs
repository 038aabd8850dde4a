// Deliveries with outbox, signatures and records, against a loop that signs and posts the same
// bodies through undici's Pool. The receiver runs in another process, both senders in this one.
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import { v7 as newUuid } from 'uuid';
import { EventOutbox } from '../packages/server/dist/events/event-outbox.js';
import { createGuardedFetch } from '../packages/server/dist/network/guarded-fetch.js';
import { openStorage } from '../packages/server/dist/storage/open-storage.js';
import { encryptorOf, unlockSecrets } from '../packages/server/dist/storage/secrets.js';
import { DeliveryQueue } from '../packages/server/dist/webhooks/delivery-queue.js';
import { eventExamples } from '../packages/server/dist/webhooks/event-examples.js';
import { UnwantedDeliveries } from '../packages/server/dist/webhooks/unwanted-deliveries.js';
import { WebhookDispatcher } from '../packages/server/dist/webhooks/webhook-dispatcher.js';
import { startDefaultPostgres } from './lib/postgres.mjs';
import { scratchFolder, serve } from './lib/processes.mjs';
import { compare, median, report, reportUpper } from './lib/ratio.mjs';

const secret = 'shorty_ws_bench';
const poolConnections = 64;
const receivers = 10;
const backlog = 100_000;
const hangingEndpoints = 400;
const endpointsOfOrganization = 50;
const organizationId = randomUUID();

export async function benchDeliveries({ deliveries = 20_000, runs = 11 } = {}) {
  const receiver = await serve('bench/receiver.mjs');
  const name = 'deliveries to one receiver, outbox and records included';
  await throughput(receiver, await openStore(), { name, deliveries, runs, bound: 0.7 });
  await isolation(receiver, deliveries, runs);
  await bigBacklog(receiver);
  await receiver.stop();
}

/** Measures the latency of one organization's deliveries beside 400 endpoints that hang. */
export async function benchDeliveriesBeside({ deliveries = 400, runs = 11 } = {}) {
  await latencyBeside(await openStore(), { name: 'SQLite', deliveries, runs });
}

/** The same in PostgreSQL. */
export async function benchDeliveriesBesidePostgres({ deliveries = 400, runs = 11 } = {}) {
  const postgres = await startDefaultPostgres();
  await postgres.createDatabase('bench');
  const store = await openStore(postgres.urlOf('bench'));
  await latencyBeside(store, { name: 'PostgreSQL', deliveries, runs });
  await postgres.stop();
}

async function latencyBeside(store, { name, deliveries, runs }) {
  const hanging = await serve('bench/receiver.mjs');
  const healthy = await latencyReceiver();
  const webhookId = await store.addWebhook(healthy.origin);
  const traps = [];
  for (let at = 0; at < hangingEndpoints; at += 1) {
    if (at % endpointsOfOrganization === 0) await store.addOrganization(`hanging-${at}`);
    const owner = `hanging-${at - (at % endpointsOfOrganization)}`;
    traps.push({ owner, id: await store.addWebhook(`${hanging.origin}/dead`, owner) });
  }
  const p99Ms = async (isBeside) => {
    if (isBeside) for (const { id, owner } of traps) await store.record(id, 6, owner);
    const dispatcher = store.dispatcher();
    dispatcher.start();
    // The endpoints count as hanging after their first time-out.
    await sleep(isBeside ? 6_000 : 500);
    const latencies = [];
    for (let at = 0; at < deliveries; at += 1) {
      const arrival = healthy.next();
      const startedAt = performance.now();
      await store.record(webhookId, 1);
      latencies.push((await arrival) - startedAt);
      await sleep(10);
    }
    await dispatcher.stop();
    for (const { id } of traps) await store.deleteDeliveries(id);
    return latencies.sort((a, b) => a - b)[Math.floor(0.99 * deliveries)];
  };
  await p99Ms(false);
  const pairs = [];
  for (let run = 0; run < runs; run += 1) {
    pairs.push({ alone: await p99Ms(false), beside: await p99Ms(true) });
  }
  reportUpper(
    `p99 of deliveries beside 400 hanging endpoints ÷ alone, ${name}`,
    median(pairs.map(({ alone, beside }) => beside / alone)),
    1.5,
    pairs.map(({ alone, beside }) => `${beside.toFixed(1)} ÷ ${alone.toFixed(1)}`).join(', '),
  );
  await store.close();
  healthy.close();
  await hanging.stop();
}

/** Starts a receiver in this process that tells when the next delivery has arrived. */
async function latencyReceiver() {
  let arrived = () => {};
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      arrived(performance.now());
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    next: () =>
      new Promise((resolve) => {
        arrived = resolve;
      }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Measures deliveries with their outbox in PostgreSQL. */
export async function benchDeliveriesPostgres({ deliveries = 5_000, runs = 11 } = {}) {
  const receiver = await serve('bench/receiver.mjs');
  const postgres = await startDefaultPostgres();
  await postgres.createDatabase('bench');
  const store = await openStore(postgres.urlOf('bench'));
  const name = 'deliveries to one receiver, outbox and records in PostgreSQL';
  await throughput(receiver, store, { name, deliveries, runs, bound: 0.4 });
  await postgres.stop();
  await receiver.stop();
}

async function throughput(receiver, store, { name, deliveries, runs, bound }) {
  const webhookId = await store.addWebhook(receiver.origin);
  const body = JSON.stringify({
    id: newUuid(),
    type: 'url.created',
    createdAt: new Date().toISOString(),
    data: eventExamples['url.created'],
  });
  const result = await compare({
    ceiling: () => postAll(receiver, body, deliveries),
    async ours() {
      await store.record(webhookId, deliveries);
      return store.deliverAll(deliveries);
    },
    runs,
  });
  report(name, result, bound, 'a second');
  await store.close();
}

/** Compares nine receivers beside a tenth that never responds with the nine alone. */
async function isolation(receiver, deliveries, runs) {
  const store = await openStore();
  const good = [];
  for (let at = 1; at < receivers; at += 1) good.push(await store.addWebhook(receiver.origin));
  const dead = await store.addWebhook(`${receiver.origin}/dead`);
  const each = Math.round(deliveries / good.length);
  const run = async (withDead) => {
    for (const id of good) await store.record(id, each);
    if (withDead) await store.record(dead, each);
    const rate = await store.deliverAll(each * good.length);
    await store.deleteDeliveries(dead);
    return rate;
  };
  const result = await compare({ ceiling: () => run(false), ours: () => run(true), runs });
  report('nine receivers beside a dead one', result, 0.9, 'a second');
  await store.close();
}

async function bigBacklog(receiver) {
  const [few, many] = [await pendingStore(receiver, 1_000), await pendingStore(receiver, backlog)];
  const pairs = [];
  for (let turn = 0; turn < 100; turn += 1) {
    pairs.push({ few: await claimMs(few), many: await claimMs(many) });
  }
  reportUpper(
    'claim time, 100,000 pending ÷ 1,000 pending',
    median(pairs.map((pair) => pair.many / pair.few)),
    1.5,
    `${median(pairs.map((pair) => pair.many)).toFixed(2)} against ${median(pairs.map((pair) => pair.few)).toFixed(2)} ms for 32 deliveries`,
  );
  await few.store.close();
  const { store } = many;
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  const rate = await store.deliverAll(backlog);
  clearInterval(watch);
  const megabytes = (peak - before) / 1e6;
  reportUpper(
    'memory that a backlog of 100,000 adds, MB',
    megabytes,
    100,
    `${Math.round(rate).toLocaleString('en')} deliveries a second`,
  );
  await store.close();
}

async function pendingStore(receiver, count) {
  const store = await openStore();
  const webhookId = await store.addWebhook(receiver.origin);
  await store.record(webhookId, count);
  store.sync();
  return { store, webhookId };
}

/** Measures a search for endpoints with pending deliveries, and a claim of 32 of them. */
async function claimMs({ store: { queue }, webhookId }) {
  const owner = 'bench';
  const memory = { owner, deliveryIds: [], webhookIds: new Set() };
  const claim = { webhookId, count: 32, except: [], isLeased: false, mustLease: true };
  const startedAt = performance.now();
  await queue.findEndpoints(memory);
  await queue.claim(owner, [claim], Date.now());
  const ms = performance.now() - startedAt;
  await queue.release(owner);
  return ms;
}

/** Signs and posts the body `count` times, reads the responses, and returns the rate a second. */
async function postAll({ origin }, body, count) {
  const pool = new Pool(origin, { connections: poolConnections });
  let left = count;
  const sender = async () => {
    while (left > 0) {
      left -= 1;
      const timestamp = String(Math.floor(Date.now() / 1000));
      const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
      const response = await pool.request({
        method: 'POST',
        path: '/',
        headers: {
          'Content-Type': 'application/json; charset=utf-8',
          'X-Service-Event': 'url.created',
          'X-Service-Delivery-Id': randomUUID(),
          'X-Service-Timestamp': timestamp,
          'X-Service-Signature': `sha256=${signature}`,
        },
        body,
      });
      await response.body.dump();
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: poolConnections }, sender));
  const rate = (count / (performance.now() - startedAt)) * 1000;
  await pool.close();
  return rate;
}

/** Returns how many deliveries a dispatcher has recorded as delivered. */
function deliveredBy(dispatcher) {
  const delivered = dispatcher.figures.attempts.filter(({ outcome }) => outcome === 'delivered');
  return delivered.reduce((sum, { count }) => sum + count, 0);
}

async function openStore(databaseUrl) {
  const databasePath = join(scratchFolder(), 'deliveries.db');
  const sqliteUrl = `file:${databasePath}`;
  const database = openStorage({
    databaseUrl: databaseUrl ?? sqliteUrl,
    durability: 'process',
    withoutCheckpoints: true,
  });
  await database.migrate();
  await unlockSecrets(database, { databaseUrl: databaseUrl ?? sqliteUrl });
  const checkpoints = databaseUrl
    ? undefined
    : new Worker(new URL('checkpoints.mjs', import.meta.url), { workerData: sqliteUrl });
  let running;
  const onEvents = (webhookIds) => running?.wake(webhookIds);
  const outbox = new EventOutbox(database, { newId: newUuid, onEvents });
  const queue = new DeliveryQueue(database, outbox, { disableAfterMs: 0 });
  const addOrganization = (id) =>
    database.writeDirectly((transaction) =>
      transaction
        .insertInto('organizations')
        .values({ id, name: 'bench', plan: 'scale', created_at: 0, active_urls: 0 })
        .execute(),
    );
  await addOrganization(organizationId);
  const dispatcher = () => {
    running = new WebhookDispatcher({
      outbox,
      queue,
      owner: newUuid(),
      unwanted: new UnwantedDeliveries(database),
      fetch: createGuardedFetch({ allowPrivateNetwork: true }),
      keyring: database.keyring,
      schedule: [3_600_000],
      clock: Date.now,
      onError: (error) => console.error(error),
    });
    return running;
  };
  return {
    queue,
    dispatcher,
    addOrganization,
    async addWebhook(url, owner = organizationId) {
      const id = newUuid();
      await database.writeDirectly(async (transaction) => {
        const encrypt = await encryptorOf(database, transaction);
        await transaction
          .insertInto('webhooks')
          .values({
            id,
            organization_id: owner,
            url,
            events: '["url.created"]',
            secret: encrypt(secret, ['webhooks', id]),
            is_active: 1,
            created_at: 0,
            updated_at: 0,
          })
          .execute();
      });
      return id;
    },
    async record(webhookId, count, owner = organizationId) {
      for (let made = 0; made < count; made += 1_000) {
        await database.writeDirectly(async (transaction) => {
          for (let at = 0; at < Math.min(1_000, count - made); at += 1) {
            const data = eventExamples['url.created'];
            await outbox.recordTest(transaction, owner, 'url.created', Date.now(), data, webhookId);
          }
        });
      }
    },
    /** Sends pending deliveries until so many are recorded, and returns the rate a second. */
    async deliverAll(count) {
      const sender = dispatcher();
      const startedAt = performance.now();
      sender.start();
      while (deliveredBy(sender) < count) await new Promise((go) => setTimeout(go, 5));
      const rate = (count / (performance.now() - startedAt)) * 1000;
      await sender.stop();
      return rate;
    },
    async deleteDeliveries(webhookId) {
      await database.writeDirectly((transaction) =>
        transaction.deleteFrom('deliveries').where('webhook_id', '=', webhookId).execute(),
      );
    },
    /** Calls fsync now, so that the measured work does not wait for it. */
    sync() {
      for (const path of [databasePath, `${databasePath}-wal`]) {
        const file = openSync(path, 'r+');
        fsyncSync(file);
        closeSync(file);
      }
    },
    async close() {
      await checkpoints?.terminate();
      await database.close();
    },
  };
}
