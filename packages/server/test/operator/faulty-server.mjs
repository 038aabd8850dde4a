// Runs a server like `shorty-server start`, with ports that throw when a test message asks for it.
import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { createServer } from '../../dist/create-server.js';
import { keepServing } from '../../dist/operations/commands/start.js';

const faulty = new Set();
const check = (port) => {
  if (faulty.has(port)) throw new Error(`the ${port} fails`);
};

const server = createServer({
  databaseUrl: process.env.SHORTY_DATABASE_URL,
  port: 0,
  isThreaded: true,
  clock: () => {
    check('clock');
    return Date.now();
  },
  resolveTxt: () => {
    check('resolver');
    return Promise.resolve([]);
  },
  logger: pino(
    {},
    {
      write(line) {
        check('log');
        process.stderr.write(line);
      },
    },
  ),
});
await server.start();
keepServing(server.noteUncaughtError);

const uncaught = {
  'a timer': () => setTimeout(() => check('timer')),
  'an immediate': () => setImmediate(() => check('immediate')),
  'a microtask': () => queueMicrotask(() => check('microtask')),
  'a rejection': () => Promise.resolve().then(() => check('rejection')),
  'an error event': () =>
    setTimeout(() => new EventEmitter().emit('error', new Error('no listener'))),
};
process.on('message', ({ fail, recover, raise }) => {
  if (fail) faulty.add(fail);
  if (recover) faulty.delete(recover);
  if (raise) {
    for (const port of ['timer', 'immediate', 'microtask', 'rejection']) faulty.add(port);
    uncaught[raise]();
  }
  process.send('done');
});
process.once('SIGTERM', async () => {
  await server.stop();
  process.exit();
});
process.send({ url: server.url, credentials: server.credentials });
