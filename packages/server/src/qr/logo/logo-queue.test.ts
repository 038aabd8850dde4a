import { afterEach, expect, it } from 'vitest';
import { QueueFullError } from '../../fair-queue.js';
import { createLogoDecoder } from './logo-decoder.js';

/** A logo process that hangs on an image containing `hang` and decodes any other to a red pixel. */
const program = `
  process.stdin.once('data', (image) => {
    if (image.includes('hang')) return;
    process.stdout.write(Buffer.from([0, 1, 0, 1, 255, 0, 0, 255]), () => process.exit());
  });
  setInterval(() => {}, 1000);`;

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

const image = (text: string) => Buffer.from(`\x89PNG\r\n\x1a\n${text}`, 'latin1');
const running = new Set<number>();
let logos: ReturnType<typeof createLogoDecoder>;
const open = () => {
  running.clear();
  logos = createLogoDecoder({
    command: [process.execPath, '-e', program],
    onStarted: (processId) => running.add(processId),
  });
  return logos;
};
afterEach(() => logos.stop());

it('decodes logos of other organizations while one organization has a hanging logo and a queue', async () => {
  open();
  const hanging = Array.from({ length: 9 }, () => logos.decode('hostile', image('hang')));
  const outcomes = Promise.allSettled(hanging);
  for (const organizationId of ['a', 'b', 'a']) {
    expect((await logos.decode(organizationId, image('red'))).width).toBe(1);
  }
  await logos.stop();
  expect((await outcomes).map(({ status }) => status)).toEqual(Array(9).fill('rejected'));
  for (const processId of running) {
    await expect.poll(() => isRunning(processId), { message: 'a process' }).toBe(false);
  }
});

it('limits the queue of one organization', async () => {
  open();
  const waiting = Promise.allSettled(
    // One is decoded, 16 are queued.
    Array.from({ length: 17 }, () => logos.decode('hostile', image('hang'))),
  );
  await expect(logos.decode('hostile', image('red'))).rejects.toBeInstanceOf(QueueFullError);
  expect((await logos.decode('other', image('red'))).width).toBe(1);
  await logos.stop();
  await waiting;
});

it('limits the queue of all organizations together, and admits others to an equal share', async () => {
  open();
  // Two are decoded, 64 are queued.
  const fill = ['a', 'b', 'c', 'd'].flatMap((organizationId, index) =>
    Array.from({ length: index < 2 ? 17 : 16 }, () => logos.decode(organizationId, image('hang'))),
  );
  // A fifth of 64.
  const share = Array.from({ length: 12 }, () => logos.decode('e', image('hang')));
  const outcomes = Promise.allSettled([...fill, ...share]);
  await expect(logos.decode('e', image('hang'))).rejects.toBeInstanceOf(QueueFullError);
  await logos.stop();
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected' });
    expect((outcome as PromiseRejectedResult).reason).not.toBeInstanceOf(QueueFullError);
  }
});

it('decodes nothing after stop, and can be stopped twice', async () => {
  open();
  await logos.stop();
  await logos.stop();
  await expect(logos.decode('a', image('red'))).rejects.toThrow('the server is stopping');
});
