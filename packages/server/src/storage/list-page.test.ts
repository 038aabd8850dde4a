import { expect, it } from 'vitest';
import { ListTimeoutError } from './database.js';
import { ListClock } from './list-page.js';

/** Runs slices on storage that needs `msPerRow`, and returns their times in milliseconds. */
async function slicesOf(rows: number, msPerRow: number): Promise<number[]> {
  let now = 0;
  const clock = new ListClock(10_000, () => now);
  const times: number[] = [];
  for (let at = 0; at < rows; ) {
    const tookMs = clock.rowsAtOnce * msPerRow;
    at += clock.rowsAtOnce;
    times.push(tookMs);
    await clock.run(async () => {
      now += tookMs;
    });
  }
  return times;
}

it('reads thousands of rows at once from memory', async () => {
  const times = await slicesOf(1_000_000, 0.001);
  expect(times.length).toBeLessThan(300);
});

it('holds the thread for at most a tenth of a second on a slow disk', async () => {
  for (const msPerRow of [0.01, 0.05, 0.2, 0.35]) {
    const times = await slicesOf(20_000, msPerRow);
    expect(Math.max(...times)).toBeLessThan(100);
    // All slices but the first few take about 10 ms.
    expect(Math.max(...times.slice(5))).toBeLessThanOrEqual(25);
  }
});

it('fails when the slices together take more than the time limit', async () => {
  await expect(slicesOf(100_000, 0.2)).rejects.toBeInstanceOf(ListTimeoutError);
});
