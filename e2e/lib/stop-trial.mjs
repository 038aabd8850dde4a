// Stops a server under load, starts it again, and compares what it had answered with what it stored.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveShorty } from '../../bench/lib/processes.mjs';
import { headersOf } from '../../bench/lib/visitors.mjs';

const visitedLinks = 50;
const settleMs = 60_000;

/** Opens a database with `links` links and some visited ones, and the receivers of its webhooks: one that responds, one that hangs. */
export async function openStopTrial(settings, { links = 20_000 } = {}) {
  const arrived = new Set();
  const receiver = await listen(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    arrived.add(JSON.parse(body).data.id);
    response.end();
  });
  const hanging = await listen((request) => request.resume());
  const start = async () => {
    const server = await serveShorty({ ...settings, SHORTY_ALLOW_PRIVATE_NETWORK: '1' });
    return { ...server, call: (...args) => call(server, ...args) };
  };
  let server = await start();
  const bulk = (count, slug) =>
    Array.from({ length: count }, (_, index) => ({
      targetUrl: `https://example.com/landing/${index}`,
      ...(slug && { customSlug: `${slug}-${index}` }),
    }));
  for (let count = 0; count < links; count += 100) {
    await server.call('POST', '/urls/bulk', { urls: bulk(100) });
  }
  const { data } = await server.call('POST', '/urls/bulk', { urls: bulk(visitedLinks, 'visited') });
  const visitedIds = data.created.map(({ id }) => id);
  for (const { url } of [receiver, hanging]) {
    await server.call('POST', '/webhooks', { url, events: ['url.created'] });
  }
  const counts = { answered: 0, sent: 0 };
  let round = 0;

  /** Starts the load. Each part ends at its first error, which the stop causes. */
  function startLoad() {
    round += 1;
    const acknowledged = [];
    const failures = [];
    let isOver = false;
    const repeat = async (work) => {
      try {
        for (let turn = 0; !isOver; turn += 1) await work(turn);
      } catch (error) {
        if (!isOver && !(error instanceof TypeError)) failures.push(String(error));
      }
    };
    const times = (count, work) =>
      Array.from({ length: count }, (_, worker) => repeat((turn) => work(worker, turn)));
    const parts = [
      ...times(16, async (worker, turn) => {
        const visitor = turn * 16 + worker;
        counts.sent += 1;
        const url = `${server.origin}/visited-${visitor % visitedLinks}`;
        // Without the crawlers, which do not count.
        const headers = headersOf(visitor - (visitor % 50 === 49 ? 1 : 0));
        const { status } = await fetch(url, { redirect: 'manual', headers });
        if (status === 307) counts.answered += 1;
        else if (status !== 503) failures.push(`a redirect got the status ${status}`);
      }),
      ...times(4, async (worker, turn) => {
        const slug = `created-${round}-${worker}-${turn}`;
        const created = await server.call('POST', '/urls', { targetUrl, customSlug: slug });
        if (created.status === 201) acknowledged.push(created.data.id);
      }),
      ...times(1, async (_worker, turn) => {
        const urls = bulk(100, `bulk-${round}-${turn}`);
        const created = await server.call('POST', '/urls/bulk', { urls });
        if (created.status === 201) acknowledged.push(...created.data.created.map(({ id }) => id));
      }),
      ...times(1, () => server.call('GET', '/analytics/overview')),
      ...times(1, async () => {
        const response = await request(server, 'GET', '/urls/export?limit=2000');
        await response.text();
      }),
      ...times(1, async () => {
        // A request that the server holds until it stops.
        await server.call('GET', '/events?after=latest&type=domain.verified&wait=25');
      }),
    ];
    const slow = Array.from({ length: 8 }, (_, index) => openSlowClient(server, index));
    return {
      acknowledged,
      failures,
      async end() {
        isOver = true;
        for (const socket of slow) socket.destroy();
        await Promise.all(parts);
      },
    };
  }

  return {
    /**
     * Stops the server once so many requests were answered, and starts it again. Returns what is missing
     * then.
     */
    async stopUnderLoad({ redirects, links }) {
      const before = counts.answered;
      const load = startLoad();
      const isLoaded = () =>
        counts.answered - before >= redirects && load.acknowledged.length >= links;
      if (!(await waitFor(isLoaded, Boolean))) throw new Error('the server answers too slowly');
      const startedAt = performance.now();
      await server.stop();
      const stopMs = performance.now() - startedAt;
      await load.end();
      server = await start();
      const { acknowledged } = load;
      const missing = [...load.failures];
      for (const id of acknowledged) {
        const { status } = await server.call('GET', `/urls/${id}`);
        if (status !== 200) missing.push(`link ${id}: ${status}`);
      }
      const clicks = await waitFor(countClicks, (sum) => sum >= counts.answered);
      if (clicks < counts.answered || clicks > counts.sent) {
        missing.push(`${clicks} clicks of ${counts.answered} to ${counts.sent} visits`);
      }
      const undelivered = () => acknowledged.filter((id) => !arrived.has(id));
      const waiting = await waitFor(undelivered, (ids) => ids.length === 0);
      for (const id of waiting) missing.push(`the event of link ${id}`);
      return { stopMs, missing, sums: { ...counts, clicks, links: acknowledged.length } };
    },
    async close() {
      await server.stop();
      receiver.close();
      hanging.close();
    },
  };

  async function countClicks() {
    let sum = 0;
    for (const id of visitedIds) sum += (await server.call('GET', `/urls/${id}`)).data.clickCount;
    return sum;
  }
}

const targetUrl = 'https://example.com/';

/** Repeats a look until it returns what is wanted. Returns the last result after a minute. */
async function waitFor(look, isDone) {
  const deadline = performance.now() + settleMs;
  for (;;) {
    const found = await look();
    if (isDone(found) || performance.now() > deadline) return found;
    await sleep(100);
  }
}

function request({ origin, token }, method, path, body) {
  return fetch(`${origin}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function call(...args) {
  const response = await request(...args);
  const { data } = await response.json();
  return { status: response.status, data };
}

/** Opens a connection that sends a part of a request, or does not read the response. */
function openSlowClient({ port, token }, index) {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  const head = `Host: localhost\r\nAuthorization: Bearer ${token}\r\n`;
  const beginnings = [
    'GET /visited-1 HTTP/1.1\r\nHost: local',
    `POST /api/v1/urls HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"targetUrl":`,
    `GET /api/v1/urls/export?limit=2000 HTTP/1.1\r\n${head}\r\n`,
    '',
  ];
  socket.write(beginnings[index % beginnings.length]);
  return socket.pause();
}

async function listen(handler) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
