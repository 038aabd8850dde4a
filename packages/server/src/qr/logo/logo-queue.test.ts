import { afterEach, expect, it } from 'vitest';
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
