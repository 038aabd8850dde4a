import { setTimeout as sleep } from 'node:timers/promises';

interface PollLimits {
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
}

/**
 * Reads a value until a condition holds, and returns it. Throws with `what` and the last value when
 * the time is over. Helpers use it where `expect.poll` is missing.
 */
export async function poll<Value>(
  what: string,
  read: () => Value | Promise<Value>,
  holds: (value: Value) => boolean,
  { timeoutMs = 30_000, intervalMs = 20 }: PollLimits = {},
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (performance.now() > deadline) {
      throw new Error(`${what}: not within ${timeoutMs} ms; last value: ${String(value)}`);
    }
    await sleep(intervalMs);
  }
}

/** Pauses a simulated client between two requests, or a simulated receiver before its response. */
export const thinkTime = (ms: number): Promise<void> => sleep(ms);
