import { Agent, get } from 'node:http';
import { expect, test } from 'vitest';
import { connect } from '../lib/api.js';
import { freePort, scratchFolder, startServer } from '../lib/processes.js';

const kills = 10;
const connections = 64;
const links = 50;
const headers = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
};

/** Follows links on many connections until the server is killed, and counts complete responses. */
function followUntilGone(addresses: readonly string[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let answered = 0;
  const follow = (address: string) =>
    new Promise<void>((resolve, reject) => {
      get(address, { agent, headers }, (response) => {
        response.resume();
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode !== 307)
            return reject(new Error(`status ${response.statusCode}`));
          answered += 1;
          resolve();
        });
      }).on('error', reject);
    });
  const visitors = Array.from({ length: connections }, async (_, visitor) => {
    for (let turn = visitor; ; turn += 1) await follow(addresses[turn % links] as string);
  });
  return {
    done: Promise.allSettled(visitors).then(() => agent.destroy()),
    answered: () => answered,
  };
}

test('a server that is killed under load stores every visit with a complete response', async () => {
  const folder = scratchFolder();
  const port = await freePort();
  let server = await startServer({ port, folder });
  const shorty = connect(server.origin);
  const { created } = await shorty.urls.bulkCreate(
    Array.from({ length: links }, () => ({ targetUrl: 'https://example.com' })),
  );
  const addresses = created.map(({ shortUrl }) => shortUrl);
  const clicks = async () => {
    let sum = 0;
    for (const { id } of created) sum += (await shorty.urls.get(id)).clickCount;
    return sum;
  };

  let before = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const load = followUntilGone(addresses);
    await expect
      .poll(load.answered, { message: 'redirects', timeout: 60_000, interval: 5 })
      .toBeGreaterThanOrEqual(2_000);
    await server.kill();
    await load.done;
    server = await startServer({ port, folder });
    // The start ingests the rest of the journal, so a later visit is counted last.
    const later = await fetch(addresses[0] as string, { redirect: 'manual', headers });
    expect(later.status).toBe(307);
    const answered = before + load.answered() + 1;
    await expect.poll(clicks, { message: 'clicks' }).toBeGreaterThanOrEqual(answered);
    before = await clicks();
    // Responses that were incomplete at the kill may have been counted.
    expect(before).toBeLessThanOrEqual(answered + connections);
  }
});
