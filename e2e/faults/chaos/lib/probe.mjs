// Loaded into the server's process with --import: measures the event loop and memory from inside.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Not for the processes that the server starts.
delete process.env.NODE_OPTIONS;
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

const resolutionMs = 5;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();

// The probe never keeps the server alive.
process.channel?.unref();
process.on('message', (command) => {
  if (command === 'measure') {
    process.send({
      maxDelayMs: Math.max(0, delay.max / 1e6 - resolutionMs),
    });
    delay.reset();
  } else if (command === 'memory') {
    collectGarbage();
    process.send({ rssMb: process.memoryUsage.rss() / 2 ** 20 });
    // The forced garbage collection is not a delay of the server.
    setImmediate(() => delay.reset());
  }
});
