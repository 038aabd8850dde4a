import { expect, it } from 'vitest';
import { processMetrics } from '../../src/health/process-metrics.js';

it('the lag of an idle event loop does not contain the period of its measurement', async () => {
  const lag = async (figure: string): Promise<number> => {
    const text = await processMetrics().metrics();
    const line = new RegExp(`^nodejs_eventloop_lag_${figure}_seconds (.+)$`, 'm').exec(text);
    return Number(line?.[1]);
  };
  await lag('max');
  // Each scrape starts the measurement anew. On a busy machine the largest lag is long, and the least is not.
  await expect.poll(() => lag('max'), { interval: 1_000, timeout: 10_000 }).toBeGreaterThan(0);
  expect(await lag('min')).toBeLessThan(0.02);
});
