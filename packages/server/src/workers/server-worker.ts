// One process of a server that has several. A supervisor has started it: `server-worker ROLE NAME`.
import cluster, { type Worker } from 'node:cluster';
import { readConfig } from '../config.js';
import { createServer } from '../create-server.js';
import { openLog } from '../operator/open-log.js';
import { isOperatorsFault } from '../operator/operators-fault.js';
import type { Role } from './messages.js';
import { RemoteSiblings } from './remote-siblings.js';
import { lineOf } from './worker-line.js';

const [role, name] = process.argv.slice(2) as [Role, string];
const worker = cluster.worker as Worker;
const config = readConfig(process.env);
const logger = openLog(config).child({ process: name });

let askToStop: () => void = () => {};
const stopAsked = new Promise<void>((resolve) => {
  askToStop = resolve;
});
// An operator may have one process replaced. A terminal tells all of them at once: there, the
// supervisor says who stops when.
process.once('SIGTERM', () => askToStop());
process.on('SIGINT', () => {});

const siblings = new RemoteSiblings({
  role,
  workers: config.workers,
  name,
  line: lineOf(worker),
  onStop: () => askToStop(),
  onError: (err) => logger.error({ err }, 'the supervisor could not be answered'),
});
try {
  const server = createServer({ ...config, logger, isThreaded: true, siblings });
  try {
    await server.start();
    await siblings.primary.ask('started', server.url);
    await stopAsked;
  } finally {
    await server.stop();
  }
} catch (error) {
  if (!isOperatorsFault(error)) throw error;
  await siblings.primary.ask('failed', error.message);
  process.exitCode = 1;
}
worker.disconnect();
