// A process whose only work is the calls of a thread.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { WorkerThread } from '../../dist/threads/worker-thread.js';

const thread = new WorkerThread(
  { name: 'fixture', file: new URL('./fixture-thread.mjs', import.meta.url).href },
  { data: {}, timeLimitMs: 20_000, logger: pino({ level: 'silent' }) },
);
process.stdout.write(await thread.call('echo', 'first\n'));
await nextTurn();
process.stdout.write(await thread.call('echo', 'second\n'));
