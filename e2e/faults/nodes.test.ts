import { randomUUID } from 'node:crypto';
import {
  ConnectionError,
  type Shorty,
  type ShortyError,
  TimeoutError,
  type UrlCreateRequest,
} from '@shorty/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { expectNoErrorsOfDoctor } from '../../packages/server/test/operator/server-process.js';
import { poll, thinkTime } from '../../packages/server/test/poll.js';
import { startPostgres } from '../../packages/server/test/postgres/start-postgres.js';
import { connect } from '../lib/api.js';
import { type Node, newNode } from '../lib/nodes.js';
import { collectDeliveries, startReceiver } from '../lib/receiver.js';
import { followLinks, headers as visitor } from '../lib/visitors.js';

const killRounds = 2;
const visitedLinks = 20;
const creators = 6;
const leaseMs = 20_000;

/** Creates a link on the nodes in turn, with the same key, until one responds. Returns its id. */
async function createOnce(
  clients: readonly Shorty[],
  first: number,
  body: UrlCreateRequest,
  idempotencyKey: string,
  unexpected: string[],
): Promise<string> {
  let at = first;
  const attempt = async (): Promise<string | undefined> => {
    const { urls } = clients[at % clients.length] as Shorty;
    at += 1;
    try {
      return (await urls.create(body, { idempotencyKey })).id;
    } catch (error) {
      // The node or PostgreSQL is down, or was killed before its response.
      const isDown = error instanceof ConnectionError || error instanceof TimeoutError;
      if (!isDown && (error as ShortyError).status !== 503) unexpected.push(String(error));
      return undefined;
    }
  };
  const options = { timeoutMs: 120_000, intervalMs: 50 };
  return (await poll('a response', attempt, Boolean, options)) as string;
}

/** Returns how many deliveries a node has attempted since its start. */
async function attemptsOf({ origin }: Node): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const counts = text.matchAll(/^shorty_delivery_attempts_total\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('no acknowledged write is lost or duplicated when nodes and PostgreSQL are killed under load', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  await postgres.createDatabase('nodes');
  const nodes = [await newNode(postgres), await newNode(postgres)] as const;
  const shorty = connect(nodes[0].origin);
  const clients = nodes.map(({ origin }) => connect(origin, { maxRetries: 0 }));
  const { created } = await shorty.urls.bulkCreate(
    Array.from({ length: visitedLinks }, () => ({ targetUrl: 'https://example.com' })),
  );
  const webhooks: { secret: string }[] = [];
  const { links: received, onEvent } = collectDeliveries();
  const hook = await startReceiver(() => webhooks[0]?.secret ?? '', onEvent);
  webhooks.push(await shorty.webhooks.create({ url: hook.url, events: ['url.created'] }));

  // Printed when the test fails.
  const observed = {
    unexpected: [] as string[],
    kills: [] as string[],
    cutOffDeliveries: 0,
  };
  const startedAt = performance.now();
  const idsOf = new Map<string, Set<string>>();
  let isOver = false;

  const visitors = followLinks(
    nodes.map(({ origin }) => created.map(({ shortCode }) => `${origin}/${shortCode}`)),
  );
  const loads = Array.from({ length: creators }, async (_, creator) => {
    for (let turn = creator; !isOver; turn += 1) {
      const key = randomUUID();
      const ids = new Set<string>();
      idsOf.set(key, ids);
      const body = {
        targetUrl: `https://example.com/${key}`,
        ...(turn % 2 === 0 && { customSlug: `slug-${key}` }),
      };
      // Some requests go to both nodes at once, like those of a client that timed out.
      const times = turn % 5 === 0 ? [turn, turn + 1] : [turn];
      const created = times.map((at) => createOnce(clients, at, body, key, observed.unexpected));
      for (const id of await Promise.all(created)) ids.add(id);
      await thinkTime(5);
    }
  });
  const moreRedirects = async (count: number) => {
    const enough = visitors.answered() + count;
    await poll(`${count} more redirects`, visitors.answered, (answered) => answered > enough);
  };
  const work = async () => {
    const links = idsOf.size + 30;
    await poll(
      '30 more links',
      () => idsOf.size,
      (count) => count > links,
    );
    await moreRedirects(300);
  };
  const kills = {
    'a node': async () => {
      await nodes[0].kill();
      await moreRedirects(50);
      await nodes[0].restart();
    },
    'the node whose dispatcher is busy': async () => {
      const before = await Promise.all(nodes.map(attemptsOf));
      await work();
      const after = await Promise.all(nodes.map(attemptsOf));
      const [a = 0, b = 0] = after.map((count, at) => count - (before[at] ?? 0));
      const busy = nodes[a > b ? 0 : 1];
      hook.pause();
      // An endpoint has two slots at first, and more after each success.
      await poll('2 waiting deliveries', hook.waiting, (count) => count >= 2);
      await busy.kill();
      await poll('deliveries without a sender', hook.cutOff, (count) => count > 0);
      observed.cutOffDeliveries = hook.cutOff();
      hook.resume();
      await busy.restart();
    },
    PostgreSQL: async () => {
      await postgres.kill();
      await moreRedirects(300);
      await postgres.start();
    },
  };
  const missing = () =>
    [...idsOf.values()].flatMap((ids) => [...ids]).filter((id) => !received.has(id));
  const clicksOf = async () => {
    let sum = 0;
    for (const { id } of created) sum += (await shorty.urls.get(id)).clickCount;
    return sum;
  };
  try {
    for (let round = 0; round < killRounds; round += 1) {
      for (const [name, kill] of Object.entries(kills)) {
        await work();
        await kill();
        const seconds = Math.round((performance.now() - startedAt) / 1000);
        observed.kills.push(`${name}, after ${seconds} s and ${idsOf.size} links`);
      }
    }
    await work();
    isOver = true;
    await Promise.all(loads);
    await visitors.end();

    expect(observed.unexpected).toEqual([]);
    expect(visitors.unexpected()).toEqual([]);
    expect(observed.cutOffDeliveries).toBeGreaterThan(0);

    // No link is created twice: one key, one id, one row.
    for (const [key, ids] of idsOf) expect([key, ids.size]).toEqual([key, 1]);
    const rows = await postgres.query<{ id: string; target_url: string; short_code: string }>(
      `select id, target_url, short_code from urls where target_url like 'https://example.com/%'`,
      'nodes',
    );
    const wanted = [...idsOf].map(([key, [id]]) => `${id} https://example.com/${key}`);
    expect(rows.map(({ id, target_url }) => `${id} ${target_url}`).sort()).toEqual(wanted.sort());
    const keys = await postgres.query<{ keys: string; distinct: string }>(
      'select count(*) as keys, count(distinct (domain_key, key)) as distinct from url_keys',
      'nodes',
    );
    expect(keys[0]?.keys).toBe(keys[0]?.distinct);

    // Every event is delivered. Events of killed dispatchers are delivered after their leases expire.
    await expect
      .poll(missing, {
        message: 'links without a delivery',
        timeout: leaseMs + 15_000,
        interval: 100,
      })
      .toEqual([]);
    expect(hook.errors).toEqual([]);

    // The visit of every completed redirect is stored. An interrupted redirect may be stored. A later
    // visit to each node is counted last.
    for (const { origin } of nodes) {
      const address = `${origin}/${created[0]?.shortCode}`;
      expect((await fetch(address, { redirect: 'manual', headers: visitor })).status).toBe(307);
    }
    const answered = visitors.answered() + nodes.length;
    await expect
      .poll(clicksOf, { message: 'clicks', timeout: 10_000 })
      .toBeGreaterThanOrEqual(answered);
    expect(await clicksOf()).toBeLessThanOrEqual(answered + visitors.cutOff());
    for (const node of nodes) expect(await node.stop()).toBe(0);
    for (const { environment } of nodes) {
      await expectNoErrorsOfDoctor(environment);
    }
  } catch (error) {
    const stored = await clicksOf().catch(String);
    const visits = { answered: visitors.answered(), cutOff: visitors.cutOff(), stored };
    const links = { keys: idsOf.size, received: received.size, missing: missing().length };
    console.error(JSON.stringify({ ...observed, visits, links }, undefined, 2));
    throw error;
  }
});
