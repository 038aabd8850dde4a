// Loaded into the server's process with --import: measures the event loop and memory from inside.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 5;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();

// The probe never keeps the server alive.
process.channel?.unref();
process.on('message', (command) => {
  if (command === 'measure') {
    process.send({
      maxDelayMs: Math.max(0, delay.max / 1e6 - resolutionMs),
      p999DelayMs: Math.max(0, delay.percentile(99.9) / 1e6 - resolutionMs),
    });
    delay.reset();
  } else if (command === 'memory') {
    globalThis.gc?.();
    process.send({ rssMb: process.memoryUsage.rss() / 2 ** 20 });
    // The forced garbage collection is not a delay of the server.
    setImmediate(() => delay.reset());
  }
});
