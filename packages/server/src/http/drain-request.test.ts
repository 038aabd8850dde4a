import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createDrain } from './drain-request.js';

describe('createDrain', () => {
  it('reads at most one chunk per turn of the event loop from all requests together', async () => {
    const drain = createDrain();
    let turns = 0;
    let isOver = false;
    const countTurns = () => {
      turns += 1;
      if (!isOver) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    const senders = Array.from({ length: 20 }, () => new PassThrough({ highWaterMark: 1 }));
    const drained = senders.map((sender) => drain(sender as unknown as IncomingMessage));
    await Promise.all(senders.map((sender) => sendChunks(sender, 10)));
    await Promise.all(drained);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(20 * 10);
  });
});

async function sendChunks(sender: PassThrough, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) {
    if (!sender.write('x')) await new Promise((resolve) => sender.once('drain', resolve));
  }
  sender.end();
}
