import { afterEach, expect, it } from 'vitest';
import { LogoQueueFullError, LogoReader } from './logo-reader.js';

/** Hangs on an image that says so, and takes every other for one red pixel. */
const program = `
  const answer = (bytes) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    process.stdout.write(Buffer.concat([length, Buffer.from(bytes)]));
  };
  process.stdin.once('data', (image) => {
    if (!image.includes('hang')) answer([1, 0, 1, 0, 1, 255, 0, 0, 255]);
  });
  answer([0]);`;

const image = (text: string) => Buffer.from(`\x89PNG\r\n\x1a\n${text}`, 'latin1');
const running = new Set<number>();
let logos: LogoReader;
const open = () => {
  running.clear();
  logos = new LogoReader({
    command: [process.execPath, '-e', program],
    onStarted: (processId) => running.add(processId),
  });
  return logos;
};
afterEach(() => logos.stop());

it('decodes for others while the logo of one organization hangs and more of its own wait', async () => {
  const reader = open();
  const hanging = Array.from({ length: 9 }, () => reader.read('hostile', image('hang')));
  const outcomes = Promise.allSettled(hanging);
  for (const organizationId of ['a', 'b', 'a']) {
    expect((await reader.read(organizationId, image('red'))).width).toBe(1);
  }
  await reader.stop();
  expect((await outcomes).map(({ status }) => status)).toEqual(Array(9).fill('rejected'));
  for (const processId of running) expect(() => process.kill(processId, 0)).toThrow('ESRCH');
});

it('lets organizations take turns', async () => {
  const reader = open();
  const order: string[] = [];
  const read = (organizationId: string) =>
    reader.read(organizationId, image('red')).then(() => order.push(organizationId));
  await Promise.all([...Array.from({ length: 6 }, () => read('many')), read('one'), read('other')]);
  expect(order.indexOf('one')).toBeLessThan(4);
  expect(order.indexOf('other')).toBeLessThan(5);
});

it('lets no organization fill the queue of all', async () => {
  const reader = open();
  const waiting = Promise.allSettled(
    // One of them is being decoded.
    Array.from({ length: 17 }, () => reader.read('hostile', image('hang'))),
  );
  await expect(reader.read('hostile', image('red'))).rejects.toBeInstanceOf(LogoQueueFullError);
  expect((await reader.read('other', image('red'))).width).toBe(1);
  await reader.stop();
  await waiting;
});

it('bounds what all organizations have waiting', async () => {
  const reader = open();
  const outcomes = Promise.allSettled(
    Array.from({ length: 100 }, (_, index) => reader.read(`${index}`, image('hang'))),
  );
  await reader.stop();
  const full = (await outcomes).filter(
    (outcome) => outcome.status === 'rejected' && outcome.reason instanceof LogoQueueFullError,
  );
  expect(full).toHaveLength(100 - 64 - 2);
});

it('reads nothing after it has stopped, and can be stopped twice', async () => {
  const reader = open();
  await reader.stop();
  await reader.stop();
  await expect(reader.read('a', image('red'))).rejects.toThrow('the server is stopping');
});
