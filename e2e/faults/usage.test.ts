import { Agent, request } from 'node:http';
import { expect, test } from 'vitest';
import { connect } from '../lib/api.js';
import { credentials, freePort, scratchFolder, startServer } from '../lib/processes.js';

const kills = 3;
const connections = 32;
const bulk = JSON.stringify({ urls: [{ targetUrl: 'https://a.example' }, {}] });

/** Calls the API on many connections until the server is killed or `end` is called. Counts complete responses. */
function callApi(origin: string, token: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let answered = 0;
  let isEnding = false;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  // A read, a bulk request with one invalid item, and a request that fails.
  const calls = [
    ['GET', '/api/v1/urls?limit=1', ''],
    ['POST', '/api/v1/urls/bulk', bulk],
    ['GET', '/api/v1/urls/999999', ''],
  ] as const;
  const call = (turn: number) =>
    new Promise<void>((resolve, reject) => {
      const [method, path, body] = calls[turn % calls.length] as (typeof calls)[number];
      const sent = request(origin + path, { method, agent, headers }, (response) => {
        response.resume();
        response.on('error', reject);
        response.on('end', () => {
          if (!response.complete) return reject(new Error('incomplete response'));
          answered += 1;
          resolve();
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  const clients = Array.from({ length: connections }, async (_, client) => {
    for (let turn = client; !isEnding; turn += 1) await call(turn);
  });
  const done = Promise.allSettled(clients).then(() => agent.destroy());
  return {
    answered: () => answered,
    done,
    end() {
      isEnding = true;
      return done;
    },
  };
}

async function untilAnswered(load: { answered(): number }): Promise<void> {
  await expect
    .poll(load.answered, { message: 'answered calls', timeout: 60_000, interval: 5 })
    .toBeGreaterThanOrEqual(500);
}

async function getToken(origin: string): Promise<string> {
  const response = await fetch(`${origin}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      clientId: credentials.SHORTY_CLIENT_ID,
      clientSecret: credentials.SHORTY_CLIENT_SECRET,
    }),
  });
  return ((await response.json()) as { data: { accessToken: string } }).data.accessToken;
}

test('a server that is killed under load counts every API call with a complete response', async () => {
  const folder = scratchFolder();
  const port = await freePort();
  let server = await startServer({ port, folder });
  const token = await getToken(server.origin);
  // Calls with a complete response, including those that read the usage.
  let answered = 0;
  const used = async () => {
    const usage = await connect(server.origin).usage.get();
    answered += 1;
    return usage.meters.api_call.used;
  };
  const restart = async () => {
    expect(await server.stop()).toBe(0);
    server = await startServer({ port, folder });
  };

  for (let kill = 0; kill < kills; kill += 1) {
    const load = callApi(server.origin, token);
    await untilAnswered(load);
    await server.kill();
    await load.done;
    answered += load.answered();
    server = await startServer({ port, folder });
    // The start ingests the rest of the journal.
    await expect
      .poll(async () => answered <= (await used()), { message: 'counted calls' })
      .toBe(true);
  }

  // No call is counted twice: a stop ingests the whole journal.
  await restart();
  const before = answered;
  const start = await used();
  expect(start).toBeGreaterThanOrEqual(before);
  // Responses that were incomplete at a kill may have been counted.
  expect(start).toBeLessThanOrEqual(before + kills * connections);
  const load = callApi(server.origin, token);
  await untilAnswered(load);
  await load.end();
  await restart();
  expect(await used()).toBe(start + 1 + load.answered());
  await server.stop();
});
