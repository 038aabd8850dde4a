/** The clock, randomness and timers of the client. Tests replace them. */
export interface Ports {
  /** Milliseconds of a monotonic clock. */
  readonly monotonicMs: () => number;
  /** Milliseconds since 1970. */
  readonly epochMs: () => number;
  /** Returns a number from 0 to 1, without 1. */
  readonly random: () => number;
  readonly newKey: () => string;
  /** Returns a function that stops the timer. */
  readonly startTimer: (delayMs: number, callback: () => void) => () => void;
}

// With a longer delay than these 24 days, setTimeout fires immediately. Such a timer is not started.
const maxTimerMs = 2_147_483_647;

export const systemPorts: Ports = {
  monotonicMs: () => performance.now(),
  epochMs: () => Date.now(),
  random: () => Math.random(),
  // crypto.randomUUID needs a page that is served by https.
  newKey: () => crypto.getRandomValues(new BigUint64Array(2)).join('-'),
  startTimer: (delayMs, callback) => {
    const timer = delayMs > maxTimerMs ? undefined : setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
