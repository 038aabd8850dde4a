import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { serveWhileCollecting } from '../../../../sdk/test/serve-while-collecting.js';
import { openFileStore } from './file-store.js';

/** Puts a file into a bucket whose server answers like this. */
async function put(answer: (response: ServerResponse) => void, timeoutMs = 500): Promise<void> {
  const environment = {
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ENDPOINT_URL_S3: await serveWhileCollecting(answer),
  };
  await openFileStore('s3://visits/a', environment, timeoutMs).put('b.json', Buffer.alloc(100_000));
}

const failed = (reason: string) =>
  new RegExp(`^PUT http://127\\.0\\.0\\.1:\\d+/visits/a/b\\.json failed${reason}`);

it('ends a PUT without a response', async () => {
  await expect(put(() => {})).rejects.toThrow(failed(': .*timeout'));
});

it('ends a PUT whose response never ends', async () => {
  const drip = (response: ServerResponse) => {
    response.writeHead(200).write('<');
    const dripping = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(dripping));
  };
  await expect(put(drip)).rejects.toThrow(failed(': .*timeout'));
});

it('names the address when the connection ends in the middle of a response', async () => {
  const cut = (response: ServerResponse) => {
    response.writeHead(403, { 'content-length': 100 }).write('<Error>', () => response.destroy());
  };
  await expect(put(cut)).rejects.toThrow(failed(': .*; run the export again'));
});

it('repeats a PUT that failed four times, and not a fifth time', async () => {
  let requests = 0;
  const refuse = (response: ServerResponse) => {
    requests += 1;
    response.writeHead(503).end('SlowDown');
  };
  await expect(put(refuse, 60_000)).rejects.toThrow(failed(' with 503: SlowDown'));
  expect(requests).toBe(5);
});
