import { Agent, request } from 'node:http';
import { expect, test } from 'vitest';
import { connect } from '../lib/api.js';
import { newNode } from '../lib/nodes.js';

const kills = 2;
const connections = 32;
const bulk = JSON.stringify({ urls: [{ targetUrl: 'https://a.example' }, {}] });

/** Sends requests on many connections until the server is killed or `end` is called, and counts complete responses. */
function startLoad(origin: string, key: string, downloadUrl: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answered = { downloads: 0, apiCalls: 0 };
  let isEnding = false;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  // A download, a read, a bulk request with one invalid item, and a request that fails.
  const requests = [
    ['GET', downloadUrl, ''],
    ['GET', '/api/v1/urls?limit=1', ''],
    ['POST', '/api/v1/urls/bulk', bulk],
    ['GET', '/api/v1/urls/999999', ''],
  ] as const;
  const send = (turn: number) =>
    new Promise<void>((resolve, reject) => {
      const [method, path, body] = requests[turn % requests.length] as (typeof requests)[number];
      const sent = request(origin + path, { method, agent, headers }, (response) => {
        response.resume();
        response.on('error', reject);
        response.on('end', () => {
          if (!response.complete) return reject(new Error('incomplete response'));
          answered[path === downloadUrl ? 'downloads' : 'apiCalls'] += 1;
          resolve();
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  const clients = Array.from({ length: connections }, async (_, client) => {
    for (let turn = client; !isEnding; turn += 1) await send(turn);
  });
  const done = Promise.allSettled(clients).then(() => agent.destroy());
  return {
    answered,
    done,
    untilAnswered: () =>
      expect
        .poll(() => answered.downloads + answered.apiCalls, { timeout: 60_000, interval: 5 })
        .toBeGreaterThanOrEqual(400),
    end() {
      isEnding = true;
      return done;
    },
  };
}

test('a server that is killed under load counts every download and API call with a complete response', async () => {
  const node = await newNode();
  const shorty = connect(node.origin);
  const { key } = await shorty.apiKeys.create({ name: 'load' });
  const answered = { downloads: 0, apiCalls: 2 };
  const { id, downloadUrl } = await shorty.qr.create({ data: 'https://example.com/' });
  const downloads = async () => {
    const { downloadCount } = await shorty.qr.get(id);
    answered.apiCalls += 1;
    return downloadCount;
  };
  const apiCalls = async () => {
    const { meters } = await shorty.usage.get();
    answered.apiCalls += 1;
    return meters.api_call.used;
  };
  const stopAndStart = async () => {
    expect(await node.stop()).toBe(0);
    await node.restart();
  };

  for (let kill = 0; kill < kills; kill += 1) {
    const load = startLoad(node.origin, key, downloadUrl);
    await load.untilAnswered();
    await node.kill();
    await load.done;
    answered.downloads += load.answered.downloads;
    answered.apiCalls += load.answered.apiCalls;
    await node.restart();
    // The start ingests the rest of the journal.
    await expect
      .poll(downloads, { message: 'downloads' })
      .toBeGreaterThanOrEqual(answered.downloads);
    await expect.poll(async () => answered.apiCalls <= (await apiCalls())).toBe(true);
  }

  // Nothing is counted twice: a stop ingests the whole journal.
  await stopAndStart();
  const before = { ...answered };
  const counted = { apiCalls: await apiCalls(), downloads: await downloads() };
  // Responses that were incomplete at a kill may have been counted.
  for (const counter of ['apiCalls', 'downloads'] as const) {
    expect(counted[counter]).toBeGreaterThanOrEqual(before[counter]);
    expect(counted[counter]).toBeLessThanOrEqual(before[counter] + kills * connections);
  }
  const load = startLoad(node.origin, key, downloadUrl);
  await load.untilAnswered();
  await load.end();
  await stopAndStart();
  // The two calls that read the counters are counted, too.
  expect(await apiCalls()).toBe(counted.apiCalls + 2 + load.answered.apiCalls);
  expect(await downloads()).toBe(counted.downloads + load.answered.downloads);
  await node.stop();
});
