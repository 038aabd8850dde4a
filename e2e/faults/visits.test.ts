import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { rounds } from '../../packages/server/test/rounds.js';
import { connect } from '../lib/api.js';
import { freePort, scratchFolder, startServer } from '../lib/processes.js';

const kills = rounds(10);
const connections = 64;
const links = 50;

/** Follows links on many connections until the server is gone; how many answers came whole. */
function followUntilGone(addresses: readonly string[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let answered = 0;
  const follow = (address: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = {
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
      };
      get(address, { agent, headers }, (answer) => {
        answer.resume();
        answer.on('error', reject);
        answer.on('end', () => {
          if (answer.statusCode !== 307) return reject(new Error(`answered ${answer.statusCode}`));
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

test(`a server that is killed ${kills} times under load has kept every visit that it answered`, async () => {
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
    while (load.answered() < 2_000) await sleep(5);
    await server.kill();
    await load.done;
    server = await startServer({ port, folder });
    // What was left is moved at the start; nobody visits meanwhile.
    let stored = await clicks();
    const isSettled = () => stored >= before + load.answered();
    for (let tries = 0; tries < 100 && !isSettled(); tries += 1) {
      await sleep(50);
      stored = await clicks();
    }
    await sleep(300);
    stored = await clicks();
    expect(stored).toBeGreaterThanOrEqual(before + load.answered());
    // Answers that were on their way when the server died.
    expect(stored).toBeLessThanOrEqual(before + load.answered() + connections);
    before = stored;
  }
});
