// Deliveries of events that wait in storage to a receiver, against a loop that signs and posts the same
// bodies through undici's Pool; then how long a delivery takes beside 300 endpoints that hang.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { bulkCreate, call, forTenants, newTenant, simpleLink } from './lib/links.mjs';
import { serveShorty } from './lib/processes.mjs';
import { compare, report, reportUpper } from './lib/ratio.mjs';

const connections = 64;
const hangingEndpoints = 300;
const endpointsOfOrganization = 50;
const created = 15_000;
const posted = 10_000;

export async function benchDeliveries() {
  const shorty = await serveShorty({ ...forTenants, SHORTY_ALLOW_PRIVATE_NETWORK: '1' });
  const receiver = await openReceiver();
  await call(shorty, 'POST', '/webhooks', { url: receiver.origin, events: ['url.created'] });
  const deliver = async () => {
    const arrived = receiver.afterNext(created);
    // Some are delivered meanwhile. The others wait.
    await bulkCreate(shorty, created);
    const startedAt = performance.now();
    const waiting = receiver.left();
    await arrived;
    return (waiting / (performance.now() - startedAt)) * 1000;
  };
  await deliver();
  const body = receiver.lastBody();
  const result = await compare({
    ceiling: () => postSigned(receiver, body, posted),
    ours: deliver,
    runs: 7,
  });
  report('deliveries of waiting events', result, 0.4, 'a second');
  await besideHanging(shorty, receiver);
  await shorty.stop();
  receiver.close();
}

async function besideHanging(shorty, receiver) {
  const owners = [];
  for (let at = 0; at < hangingEndpoints; at += endpointsOfOrganization) {
    const owner = await newTenant(shorty);
    owners.push(owner);
    for (let n = 0; n < endpointsOfOrganization; n += 1) {
      const url = `${receiver.origin}/dead?${at + n}`;
      await call(owner, 'POST', '/webhooks', { url, events: ['url.created'] });
    }
  }
  const create = (owner) => call(owner, 'POST', '/urls', simpleLink(0));
  const latencies = [];
  for (let round = 0; round < 40; round += 1) {
    await Promise.all(owners.map(create));
    const arrived = receiver.afterNext(1);
    const startedAt = performance.now();
    await create(shorty);
    await arrived;
    latencies.push(performance.now() - startedAt);
    await sleep(200);
  }
  latencies.sort((a, b) => a - b);
  const detail = `median ${latencies[latencies.length / 2].toFixed(0)} ms of ${latencies.length}`;
  const name = `slowest delivery beside ${hangingEndpoints} endpoints that hang, ms`;
  reportUpper(name, latencies.at(-1), 1_000, detail);
}

/** Starts a receiver in this process. At /dead it never responds. */
async function openReceiver() {
  let left = Number.POSITIVE_INFINITY;
  let resolve = () => {};
  let last = '';
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url.startsWith('/dead')) return;
    last = Buffer.concat(chunks).toString();
    response.writeHead(204).end();
    left -= 1;
    if (left === 0) resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    lastBody: () => last,
    /** How many of the requests that `afterNext` waits for have not arrived yet. */
    left: () => left,
    /** Resolves when so many further requests have arrived. */
    afterNext(count) {
      left = count;
      return new Promise((done) => {
        resolve = done;
      });
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Signs and posts the body `count` times, reads the responses, and returns the rate a second. */
async function postSigned({ origin }, body, count) {
  const pool = new Pool(origin, { connections });
  let left = count;
  const sender = async () => {
    while (left > 0) {
      left -= 1;
      const timestamp = String(Math.floor(Date.now() / 1000));
      const signature = createHmac('sha256', 'shorty_ws_bench').update(`${timestamp}.${body}`);
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        'x-service-timestamp': timestamp,
        'x-service-signature': `sha256=${signature.digest('hex')}`,
      };
      const response = await pool.request({ method: 'POST', path: '/', headers, body });
      await response.body.dump();
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, sender));
  const rate = (count / (performance.now() - startedAt)) * 1000;
  await pool.close();
  return rate;
}
