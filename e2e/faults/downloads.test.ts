import { Agent, get } from 'node:http';
import { expect, test } from 'vitest';
import { credentials, freePort, scratchFolder, startServer } from '../lib/processes.js';

const kills = 3;
const connections = 32;

/** Downloads on many connections until the server is killed, and counts complete responses. */
function downloadUntilGone(address: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let answered = 0;
  const download = () =>
    new Promise<void>((resolve, reject) => {
      get(address, { agent }, (response) => {
        response.resume();
        response.on('error', reject);
        response.on('end', () => {
          if (!response.complete) return reject(new Error('incomplete response'));
          answered += 1;
          resolve();
        });
      }).on('error', reject);
    });
  const visitors = Array.from({ length: connections }, async () => {
    for (;;) await download();
  });
  return {
    done: Promise.allSettled(visitors).then(() => agent.destroy()),
    answered: () => answered,
  };
}

test('a server that is killed under load counts every completed download', async () => {
  const folder = scratchFolder();
  const port = await freePort();
  let server = await startServer({ port, folder });
  const call = async (method: string, path: string, body?: object, token?: string) => {
    const response = await fetch(server.origin + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return ((await response.json()) as { data: Record<string, string | number> }).data;
  };
  const signIn = async () => {
    const body = {
      clientId: credentials.SHORTY_CLIENT_ID,
      clientSecret: credentials.SHORTY_CLIENT_SECRET,
    };
    return String((await call('POST', '/api/v1/auth/token', body)).accessToken);
  };
  const token = await signIn();
  const qr = await call('POST', '/api/v1/qr', { data: 'https://example.com/' }, token);
  const downloads = async () =>
    Number((await call('GET', `/api/v1/qr/${qr.id}`, undefined, token)).downloadCount);

  let before = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const load = downloadUntilGone(`${server.origin}${qr.downloadUrl}`);
    await expect
      .poll(load.answered, { message: 'downloads', timeout: 60_000, interval: 5 })
      .toBeGreaterThanOrEqual(1_000);
    await server.kill();
    await load.done;
    server = await startServer({ port, folder });
    // The start ingests the rest of the journal, so a later download is counted last.
    expect((await fetch(server.origin + qr.downloadUrl)).status).toBe(200);
    const completed = before + load.answered() + 1;
    await expect.poll(downloads, { message: 'downloadCount' }).toBeGreaterThanOrEqual(completed);
    before = await downloads();
    // Responses that were incomplete at the kill may have been counted.
    expect(before).toBeLessThanOrEqual(completed + connections);
  }
  await server.stop();
});
