// The honest clients. They send requests at a fixed rate, even if the server is slow, and check each
// response.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { headersOf } from '../../../../bench/lib/visitors.mjs';
import { Samples } from './samples.mjs';

/** Requests a second of each kind. Together they leave most of one core idle. */
const rates = { redirect: 200, api: 10, unlock: 0.5, qr: 1 };
const requestTimeoutMs = 30_000;
const links = 500;
const password = 'an honest password';

/** Prepares an honest tenant: links, a link with a password, and a webhook with its receiver. */
export async function prepareHonest({ origin, tenant, receiverPort }) {
  const api = client(origin, tenant.token);
  const deliveries = expectedDeliveries();
  const receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      response.end();
      const { data } = JSON.parse(body);
      deliveries.arrived(data.id);
    });
  });
  receiver.listen(receiverPort, '127.0.0.1');
  const slugs = Array.from({ length: links }, (_, index) => `honest-${index}`);
  for (let from = 0; from < links; from += 100) {
    const urls = slugs.slice(from, from + 100).map((customSlug) => ({
      customSlug,
      targetUrl: `https://example.com/${customSlug}`,
    }));
    await api.call('POST', '/api/v1/urls/bulk', { urls });
  }
  await api.call('POST', '/api/v1/urls', {
    targetUrl: 'https://example.com/locked',
    customSlug: 'honest-locked',
    isPasswordProtected: true,
    password,
  });
  await api.call('POST', '/api/v1/webhooks', {
    url: `http://127.0.0.1:${receiverPort}/honest`,
    events: ['url.created'],
  });
  await api.close();
  return { slugs, deliveries, tenant, stop: () => receiver.close() };
}

/** Runs the honest clients for some seconds; returns a summary for each kind. */
export async function runHonest({ origin, honest, seconds }) {
  const { slugs, deliveries, tenant } = honest;
  const api = client(origin, tenant.token);
  const visitors = new Pool(origin, poolOptions);
  const results = Object.fromEntries(
    ['redirect', 'api', 'unlock', 'qr', 'delivery'].map((kind) => [kind, new Samples()]),
  );
  const pending = new Set();
  let isOver = false;

  async function measure(kind, work) {
    const startedAt = performance.now();
    try {
      await work();
      results[kind].succeeded(performance.now() - startedAt);
    } catch (error) {
      results[kind].failed(error.message);
    }
  }

  async function atRate(kind, work) {
    const everyMs = 1000 / rates[kind];
    for (let turn = 0, startedAt = performance.now(); !isOver; turn += 1) {
      const request = measure(kind, () => work(turn));
      pending.add(request);
      void request.finally(() => pending.delete(request));
      await sleep(Math.max(0, startedAt + (turn + 1) * everyMs - performance.now()));
    }
  }

  async function visit(turn) {
    const slug = slugs[turn % slugs.length];
    const { statusCode, headers, body } = await visitors.request({
      method: 'GET',
      path: `/${slug}`,
      headers: { host: 'short.example', ...headersOf(turn) },
    });
    await body.dump();
    if (statusCode !== 307) throw new Error(`status ${statusCode}`);
    if (headers.location !== `https://example.com/${slug}`) throw new Error('wrong location');
  }

  async function unlock() {
    const { statusCode, body } = await visitors.request({
      method: 'POST',
      path: '/honest-locked',
      headers: { host: 'short.example', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ password }).toString(),
    });
    await body.dump();
    if (statusCode !== 307 && statusCode !== 303) throw new Error(`status ${statusCode}`);
  }

  async function useApi(turn) {
    if (turn % 10 === 0) return createAndAwaitDelivery(turn);
    if (turn % 3 === 0) return api.call('GET', '/api/v1/urls?limit=25&search=honest');
    if (turn % 3 === 1) return api.call('GET', '/api/v1/urls/1');
    return api.call('PATCH', '/api/v1/urls/1', { title: `honest ${turn}` });
  }

  async function createAndAwaitDelivery(turn) {
    const url = await api.call('POST', '/api/v1/urls', {
      targetUrl: `https://example.com/new/${turn}`,
    });
    const createdAt = performance.now();
    const delivery = deliveries.expect(url.id, requestTimeoutMs).then((deliveredAt) => {
      if (deliveredAt === undefined) results.delivery.failed('not delivered within 30 s');
      else results.delivery.succeeded(Math.max(0, deliveredAt - createdAt));
    });
    pending.add(delivery);
    void delivery.finally(() => pending.delete(delivery));
  }

  const createQr = (turn) => api.call('POST', '/api/v1/qr', { data: `honest ${turn}` });

  const loops = [
    atRate('redirect', visit),
    atRate('api', useApi),
    atRate('unlock', unlock),
    atRate('qr', createQr),
  ];
  await sleep(seconds * 1000);
  isOver = true;
  await Promise.all(loops);
  // Waits for pending requests, so that a stall counts with its full length.
  while (pending.size > 0) await Promise.allSettled(pending);
  await visitors.close();
  await api.close();
  return Object.fromEntries(
    Object.entries(results).map(([kind, samples]) => [kind, samples.summary()]),
  );
}

/** Records when the event of a link arrives, often before the response that contains its id. */
function expectedDeliveries() {
  const arrivals = new Map();
  const arrivalOf = (id) => {
    if (!arrivals.has(id)) arrivals.set(id, withResolvers());
    return arrivals.get(id);
  };
  return {
    arrived: (id) => arrivalOf(id).resolve(performance.now()),
    expect: (id, withinMs) =>
      Promise.race([arrivalOf(id).promise, sleep(withinMs, undefined, { ref: false })]),
  };
}

function withResolvers() {
  let resolve;
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const poolOptions = {
  connections: 32,
  pipelining: 1,
  headersTimeout: requestTimeoutMs,
  bodyTimeout: requestTimeoutMs,
  // The attackers' address gets blocked for wrong passwords, so honest clients use another one.
  localAddress: '127.0.0.2',
  connect: { timeout: requestTimeoutMs },
};

function client(origin, token) {
  const pool = new Pool(origin, poolOptions);
  return {
    async call(method, path, body) {
      const response = await pool.request({
        method,
        path,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.body.text();
      if (response.statusCode >= 300) throw new Error(`status ${response.statusCode}`);
      return JSON.parse(text).data;
    },
    close: () => pool.close(),
  };
}
