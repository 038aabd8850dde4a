import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { expectNoErrorsOfDoctor } from '../../packages/server/test/operator/server-process.js';
import { poll, thinkTime } from '../../packages/server/test/poll.js';
import { startPostgres } from '../../packages/server/test/postgres/start-postgres.js';
import { connect } from '../lib/api.js';
import { type Node, newNode } from '../lib/nodes.js';
import { createOrganization, type SignedIn, signIn } from '../lib/organizations.js';
import { credentials } from '../lib/processes.js';
import { collectDeliveries, startReceiver } from '../lib/receiver.js';
import { followLinks, headers as visitor } from '../lib/visitors.js';

const killRounds = 2;
const visitedLinks = 20;
const creators = 6;
const quotaCreators = 6;
// The link quota of the plan `free`.
const linkQuota = 50;
const leaseMs = 20_000;

interface Result {
  readonly status: number;
  readonly body: { readonly data: { readonly id: string } };
}

/** Sends a request to the nodes in turn, with the same key, until one returns 200, 201 or 402. */
async function sendUntilFinal(
  nodes: readonly Node[],
  first: number,
  send: (origin: string) => Promise<Response>,
  unexpected: string[],
): Promise<Result> {
  let at = first;
  const attempt = async (): Promise<Result | undefined> => {
    const { origin } = nodes[at % nodes.length] as Node;
    at += 1;
    try {
      const response = await send(origin);
      const body = (await response.json()) as Result['body'];
      if ([200, 201, 402].includes(response.status)) return { status: response.status, body };
      if (response.status !== 503) unexpected.push(`${response.status} ${JSON.stringify(body)}`);
    } catch {
      // The node is down, or was killed before its response.
    }
    return undefined;
  };
  const options = { timeoutMs: 120_000, intervalMs: 50 };
  return (await poll('a final response', attempt, Boolean, options)) as Result;
}

function post({ token }: SignedIn, key: string, body: object) {
  return (origin: string) =>
    fetch(`${origin}/api/v1/urls`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
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
  const own = await signIn(nodes[0].origin, {
    clientId: credentials.SHORTY_CLIENT_ID,
    clientSecret: credentials.SHORTY_CLIENT_SECRET,
  });
  const small = await signIn(
    nodes[1].origin,
    await createOrganization(nodes[0].environment, 'small', 'free'),
  );
  const shorty = connect(nodes[0].origin);
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
    quota: { refused: 0, most: 0 },
    cutOffDeliveries: 0,
  };
  const startedAt = performance.now();
  const idsOf = new Map<string, Set<string>>();
  let isOver = false;

  const visitors = followLinks(
    nodes.map(({ origin }) => created.map(({ shortCode }) => `${origin}/${shortCode}`)),
  );
  const loads = [
    ...Array.from({ length: creators }, async (_, creator) => {
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
        const results = times.map((at) =>
          sendUntilFinal(nodes, at, post(own, key, body), observed.unexpected),
        );
        for (const { status, body } of await Promise.all(results)) {
          if (status === 201) ids.add(body.data.id);
          else observed.unexpected.push(`${status} ${JSON.stringify(body)}`);
        }
        await thinkTime(5);
      }
    }),
    // Each creator creates links, and deletes one when the quota is reached.
    ...Array.from({ length: quotaCreators }, async (_, creator) => {
      const live: string[] = [];
      for (let turn = creator; !isOver; turn += 1) {
        const made = await sendUntilFinal(
          nodes,
          turn,
          post(small, randomUUID(), { targetUrl: 'https://example.com' }),
          observed.unexpected,
        );
        if (made.status === 201) live.push(made.body.data.id);
        else {
          observed.quota.refused += 1;
          const id = live.pop();
          if (id !== undefined) {
            const remove = (origin: string) =>
              fetch(`${origin}/api/v1/urls/${id}`, {
                method: 'DELETE',
                headers: { authorization: `Bearer ${small.token}` },
                signal: AbortSignal.timeout(30_000),
              });
            await sendUntilFinal(nodes, turn, remove, observed.unexpected);
          }
        }
        await thinkTime(10);
      }
    }),
  ];
  const countActive = async () => {
    const rows = await postgres.query<{ counted: number; active: number }>(
      `select active_urls::int as counted, (select count(*)::int from urls
         where organization_id = organizations.id and is_active = 1) as active
       from organizations where plan = 'free'`,
      'nodes',
    );
    const [{ counted, active } = { counted: -1, active: -2 }] = rows;
    observed.quota.most = Math.max(observed.quota.most, active, counted);
    return { counted, active };
  };
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
        await countActive();
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

    // The quota holds.
    const { counted, active } = await countActive();
    expect(active).toBe(counted);
    expect(observed.quota.refused).toBeGreaterThan(0);
    expect(observed.quota.most).toBeLessThanOrEqual(linkQuota);

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
}, 180_000);
