import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { signWebhook } from '@shorty/webhook-verifier';
import { expect, onTestFinished } from 'vitest';
import { poll } from '../../packages/server/test/poll.js';
import { root } from './processes.js';

const secret = 'a secret of the test';

interface Settings {
  readonly DEDUPE_URL: string;
  readonly LEASE_MS?: string;
  readonly WORK?: 'hang' | 'fail';
}

/** Starts the example that receives webhooks in several processes, and counts its runs of the work. */
async function startReceiver(settings: Settings) {
  const child = spawn(process.execPath, [join(root, 'examples/receive-webhooks-shared.mjs')], {
    env: { PATH: process.env.PATH, SHORTY_WEBHOOK_SECRET: secret, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const state = { runs: 0 };
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`it exited with ${code}: ${errors}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const port = /port (\d+)$/.exec(line)?.[1];
      if (port) resolve(`http://127.0.0.1:${port}/`);
      else state.runs += 1;
    });
  });
  return {
    state,
    /** Returns the status, and the Retry-After of a response that has it. */
    async send(delivery: ReturnType<typeof sign>) {
      const { status, headers } = await fetch(url, { method: 'POST', ...delivery });
      const retryAfter = headers.get('retry-after');
      return retryAfter === null ? status : `${status} after ${retryAfter}`;
    },
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

const sign = () => signWebhook({ type: 'domain.verified', data: {} }, { secret });

/** Two receivers share a store: each delivery is handled once, also after a failure or a kill. */
export async function checkSharedStore(url: string): Promise<void> {
  const settings = { DEDUPE_URL: url, LEASE_MS: '3000' };
  const receivers = [await startReceiver(settings), await startReceiver(settings)] as const;
  const [first, second] = receivers;
  const runs = () => first.state.runs + second.state.runs;

  // The same delivery 50 times at once. 503 with the lease if the other process is at it.
  const inProgress = '503 after 3';
  const many = sign();
  const statuses = await Promise.all(
    Array.from({ length: 50 }, (_, index) => (index % 2 ? first : second).send(many)),
  );
  expect(statuses.filter((status) => status !== 204 && status !== inProgress)).toEqual([]);
  expect(statuses).toContain(204);
  expect([await first.send(many), await second.send(many)]).toEqual([204, 204]);
  expect(runs()).toBe(1);

  // Work that fails is released at once.
  const failing = await startReceiver({ ...settings, WORK: 'fail' });
  const failed = sign();
  expect(await failing.send(failed)).toBe(503);
  expect(await first.send(failed)).toBe(204);
  expect([failing.state.runs, runs()]).toEqual([1, 2]);

  // A process that is killed between claim and done keeps the claim until the lease ends.
  const hanging = await startReceiver({ ...settings, WORK: 'hang' });
  const interrupted = sign();
  const pending = hanging.send(interrupted).catch((error: Error) => error.name);
  await poll('the work runs', () => hanging.state.runs, Boolean);
  expect(await second.send(interrupted)).toBe(inProgress);
  await hanging.kill();
  expect(await pending).toBe('TypeError');
  await poll(
    'the lease ends',
    () => second.send(interrupted),
    (status) => status === 204,
  );
  expect(await first.send(interrupted)).toBe(204);
  expect(runs()).toBe(3);
}
