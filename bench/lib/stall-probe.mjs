// Loaded into a server by `--import`: records what may stall its main thread, and writes it to the file
// STALLS_FILE at each SIGUSR2.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let pauses = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) pauses.push(duration);
  }).observe({ entryTypes: ['gc'] });
  process.on('SIGUSR2', () => {
    const figures = {
      delayP99Ms: delay.percentile(99) / 1e6,
      delayMaxMs: delay.max / 1e6,
      pauses: pauses.length,
      pausedMs: pauses.reduce((sum, ms) => sum + ms, 0),
      longestPauseMs: Math.max(0, ...pauses),
    };
    delay.reset();
    pauses = [];
    writeFileSync(process.env.STALLS_FILE, JSON.stringify(figures));
  });
}
