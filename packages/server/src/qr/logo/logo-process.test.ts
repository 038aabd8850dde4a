import { expect, it, onTestFinished } from 'vitest';
import { badge } from '../../../test/qr/logos.js';
import { QrDesignError } from '../drawing/qr-design.js';
import { createLogoDecoder, type RunLogoProcessOptions, runLogoProcess } from './logo-decoder.js';
import { logoProcessLimits } from './logo-limits.js';

/** A process that runs `onImage` when it receives an image. */
function stub(onImage: string): readonly [string, ...string[]] {
  const program = `
    const end = (bytes, code) => process.stdout.write(Buffer.from(bytes), () => process.exit(code));
    const refuse = (text) => end(Buffer.from(text), 2);
    process.stdin.once('data', () => { ${onImage} });`;
  return [process.execPath, '-e', program];
}

const limits = logoProcessLimits;

async function failure(options: RunLogoProcessOptions, image: Uint8Array = badge) {
  const started: number[] = [];
  const error: unknown = await runLogoProcess(image, {
    limits,
    ...options,
    onStarted: (processId) => started.push(processId),
  }).then(
    ({ width, height }) => new Error(`the image was decoded to ${width} by ${height}`),
    (reason) => reason,
  );
  for (const processId of started) await expectEnd(processId);
  return error;
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ESRCH');
    return false;
  }
}

const expectEnd = (processId: number) =>
  expect.poll(() => isRunning(processId), { message: 'the process' }).toBe(false);

const hog = 'const all = []; setInterval(() => all.push(Buffer.alloc(4e6, 1)), 1)';

it.each([
  ['never responds', 'setInterval(() => {}, 1000)', { timeoutMs: 200 }, /within 0.2 seconds/],
  [
    'exceeds its processor time',
    'for (;;);',
    { cpuSeconds: 1, timeoutMs: 60_000 },
    /1 seconds of processor time/,
  ],
  ['exceeds its memory', hog, { memoryMb: 256 }, /memory/],
])('ends a process that %s', async (_, program, lower, message) => {
  const error = await failure({ command: stub(program), limits: { ...limits, ...lower } });
  expect(error).toBeInstanceOf(QrDesignError);
  expect(String(error)).toMatch(message);
});

it('removes control characters from the messages of a process', async () => {
  const error = await failure({ command: stub('refuse("a\\u001b[2Jb\\u202e")') });
  expect(String(error)).toBe('QrDesignError: a�[2Jb�');
});

it("passes none of the server's environment to a process", async () => {
  process.env.SHORTY_TEST_SECRET = 'secret';
  onTestFinished(() => {
    delete process.env.SHORTY_TEST_SECRET;
  });
  const error = await failure({ command: stub('refuse(JSON.stringify(process.env))') });
  expect(
    Object.keys(JSON.parse((error as Error).message))
      .filter((name) => name !== 'PWD')
      .sort(),
  ).toEqual(['MALLOC_ARENA_MAX', 'UV_THREADPOOL_SIZE', 'VIPS_CONCURRENCY']);
});

/** A logo process that hangs on an image containing `hang` and decodes any other to a red pixel. */
const program = `
  process.stdin.once('data', (image) => {
    if (image.includes('hang')) return;
    process.stdout.write(Buffer.from([0, 1, 0, 1, 255, 0, 0, 255]), () => process.exit());
  });
  setInterval(() => {}, 1000);`;

const image = (text: string) => Buffer.from(`\x89PNG\r\n\x1a\n${text}`, 'latin1');
it('decodes logos of other organizations while one organization has a hanging logo and a queue', async () => {
  const running: number[] = [];
  const logos = createLogoDecoder({
    command: [process.execPath, '-e', program],
    onStarted: (processId) => running.push(processId),
  });
  onTestFinished(() => logos.stop());
  const hanging = Array.from({ length: 9 }, () => logos.decode('hostile', image('hang')));
  const outcomes = Promise.allSettled(hanging);
  for (const organizationId of ['a', 'b', 'a']) {
    expect((await logos.decode(organizationId, image('red'))).width).toBe(1);
  }
  await logos.stop();
  expect((await outcomes).map(({ status }) => status)).toEqual(Array(9).fill('rejected'));
  for (const processId of running) await expectEnd(processId);
});
