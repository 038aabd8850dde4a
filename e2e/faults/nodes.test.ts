import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyWebhook } from '@shorty/webhook-verifier';
import { expect, onTestFinished, test } from 'vitest';
import {
  type PostgresServer,
  startPostgres,
} from '../../packages/server/test/postgres/start-postgres.js';
import { rounds } from '../../packages/server/test/rounds.js';
import { connect } from '../lib/api.js';
import { createOrganization, type SignedIn, signIn } from '../lib/organizations.js';
import { credentials, freePort, scratchFolder, startServer } from '../lib/processes.js';
import { followLinks } from '../lib/visitors.js';

const killRounds = rounds(2);
const visitedLinks = 20;
const creators = 6;
const quotaCreators = 6;
// Of the plan `free`.
const bundle = 50;
const leaseMs = 20_000;

/** A node on its own port, with a journal of its own, as on a machine of its own. */
async function newNode(postgres: PostgresServer, name: string) {
  const settings = {
    port: await freePort(),
    folder: join(scratchFolder(), name),
    environment: {
      SHORTY_DATABASE_URL: postgres.urlOf('nodes'),
      SHORTY_ALLOW_PRIVATE_NETWORK: '1',
      SHORTY_WEBHOOK_RETRY_SCHEDULE: '0.2,0.5,1,2,5,5,5,5',
      SHORTY_RATE_LIMIT: '0',
      // Faults are wanted here, and each is told of.
      SHORTY_LOG_LEVEL: 'fatal',
    },
  };
  const start = () =>
    startServer({
      ...settings,
      environment: {
        ...settings.environment,
        SHORTY_JOURNAL_FOLDER: join(settings.folder, 'visits'),
      },
    });
  let server = await start();
  return {
    origin: server.origin,
    environment: settings.environment,
    kill: () => server.kill(),
    stop: () => server.stop(),
    async restart() {
      server = await start();
    },
  };
}

type Node = Awaited<ReturnType<typeof newNode>>;

/** Checks what it is sent, and can keep its senders waiting. */
async function startReceiver(secret: () => string) {
  const port = await freePort();
  const links = new Set<string>();
  const faults: unknown[] = [];
  const held: (() => void)[] = [];
  let isHolding = false;
  let cutOff = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (isHolding) {
      response.once('close', () => {
        if (!response.writableFinished) cutOff += 1;
      });
      await new Promise<void>((resolve) => held.push(resolve));
    }
    try {
      const event = verifyWebhook({ body, headers: request.headers, secret: secret() });
      links.add(String(event.data.id));
      response.writeHead(204).end();
    } catch (error) {
      faults.push(error);
      response.writeHead(401).end();
    }
  });
  server.listen(port, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${port}/hook`,
    links,
    faults,
    held: () => held.length,
    cutOff: () => cutOff,
    hold() {
      isHolding = true;
    },
    letGo() {
      isHolding = false;
      for (const answer of held.splice(0)) answer();
    },
  };
}

/** Every request until one of the nodes answers something that is not to be repeated. */
async function persist(
  nodes: readonly Node[],
  first: number,
  ask: (origin: string) => Promise<Response>,
  unexpected: string[],
): Promise<{ status: number; body: { data: { id: string } } }> {
  for (let at = first; ; at += 1) {
    try {
      const answer = await ask((nodes[at % nodes.length] as Node).origin);
      const body = (await answer.json()) as { data: { id: string } };
      if ([200, 201, 402].includes(answer.status)) return { status: answer.status, body };
      if (answer.status !== 503) unexpected.push(`${answer.status} ${JSON.stringify(body)}`);
    } catch {
      // The node is gone, or went while it answered: another one, with the same key.
    }
    await sleep(50);
  }
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

/** How many deliveries a node has attempted since its start. */
async function attemptsOf({ origin }: Node): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const counts = text.matchAll(/^shorty_delivery_attempts_total\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('nodes and their PostgreSQL are killed in turn under load, and nothing that was answered is lost or doubled', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  await postgres.createDatabase('nodes');
  const nodes = [await newNode(postgres, 'a'), await newNode(postgres, 'b')] as const;
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
  const hook = await startReceiver(() => webhooks[0]?.secret ?? '');
  webhooks.push(await shorty.webhooks.create({ url: hook.url, events: ['url.created'] }));

  // What is seen, for whoever has to find out why it is not as it should be.
  const saw = {
    unexpected: [] as string[],
    faults: [] as string[],
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
        // Some are sent to both nodes at once, as by a caller that has lost patience.
        const times = turn % 5 === 0 ? [turn, turn + 1] : [turn];
        const answers = times.map((at) => persist(nodes, at, post(own, key, body), saw.unexpected));
        for (const { status, body } of await Promise.all(answers)) {
          if (status === 201) ids.add(body.data.id);
          else saw.unexpected.push(`${status} ${JSON.stringify(body)}`);
        }
        await sleep(5);
      }
    }),
    // Each takes what there is room for, and makes room again when there is none.
    ...Array.from({ length: quotaCreators }, async (_, creator) => {
      const live: string[] = [];
      for (let turn = creator; !isOver; turn += 1) {
        const made = await persist(
          nodes,
          turn,
          post(small, randomUUID(), { targetUrl: 'https://example.com' }),
          saw.unexpected,
        );
        if (made.status === 201) live.push(made.body.data.id);
        else {
          saw.quota.refused += 1;
          const id = live.pop();
          if (id !== undefined) {
            const remove = (origin: string) =>
              fetch(`${origin}/api/v1/urls/${id}`, {
                method: 'DELETE',
                headers: { authorization: `Bearer ${small.token}` },
                signal: AbortSignal.timeout(30_000),
              });
            await persist(nodes, turn, remove, saw.unexpected);
          }
        }
        await sleep(10);
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
    saw.quota.most = Math.max(saw.quota.most, active, counted);
    return { counted, active };
  };
  const work = async () => {
    const [madeBefore, answeredBefore] = [idsOf.size, visitors.answered()];
    for (let tries = 0; tries < 600; tries += 1) {
      const isGoing = idsOf.size > madeBefore + 30 && visitors.answered() > answeredBefore + 300;
      if (isGoing) return;
      await sleep(50);
    }
    throw new Error('the load does not get on');
  };
  const kills = {
    'a node': async () => {
      await nodes[0].kill();
      await sleep(300);
      await nodes[0].restart();
    },
    'the node whose dispatcher is busy': async () => {
      const before = await Promise.all(nodes.map(attemptsOf));
      await work();
      const after = await Promise.all(nodes.map(attemptsOf));
      const [a = 0, b = 0] = after.map((count, at) => count - (before[at] ?? 0));
      const busy = nodes[a > b ? 0 : 1];
      hook.hold();
      for (let tries = 0; tries < 100 && hook.held() < 8; tries += 1) await sleep(20);
      await sleep(300);
      await busy.kill();
      for (let tries = 0; tries < 50 && hook.cutOff() === 0; tries += 1) await sleep(20);
      saw.cutOffDeliveries = hook.cutOff();
      hook.letGo();
      await busy.restart();
    },
    PostgreSQL: async () => {
      await postgres.kill();
      await sleep(1_000);
      await postgres.start();
    },
  };
  const missing = () =>
    [...idsOf.values()].flatMap((ids) => [...ids]).filter((id) => !hook.links.has(id));
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
        saw.faults.push(`${name}, after ${seconds} s and ${idsOf.size} links`);
      }
    }
    await work();
    isOver = true;
    await Promise.all(loads);
    await visitors.end();

    expect(saw.unexpected).toEqual([]);
    expect(visitors.unexpected()).toEqual([]);
    expect(saw.cutOffDeliveries).toBeGreaterThan(0);

    // No link twice: one key, one id, one row.
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

    // No quota overshot.
    const { counted, active } = await countActive();
    expect(active).toBe(counted);
    expect(saw.quota.refused).toBeGreaterThan(0);
    expect(saw.quota.most).toBeLessThanOrEqual(bundle);

    // Every event delivered: those of killed dispatchers when their leases end.
    const deadline = Date.now() + leaseMs + 15_000;
    while (missing().length > 0 && Date.now() < deadline) await sleep(100);
    expect(missing()).toEqual([]);
    expect(hook.faults).toEqual([]);

    // Answered redirects are stored visits; of those that were cut off, nobody knows.
    await expect.poll(clicksOf, { timeout: 10_000 }).toBeGreaterThanOrEqual(visitors.answered());
    await sleep(500);
    expect(await clicksOf()).toBeLessThanOrEqual(visitors.answered() + visitors.cutOff());
    for (const node of nodes) expect(await node.stop()).toBe(0);
  } catch (error) {
    const stored = await clicksOf().catch(String);
    const visits = { answered: visitors.answered(), cutOff: visitors.cutOff(), stored };
    const links = { keys: idsOf.size, received: hook.links.size, missing: missing().length };
    console.error(JSON.stringify({ ...saw, visits, links }, undefined, 2));
    throw error;
  }
}, 180_000);
