/** What the client asks of the world beside `fetch`; tests pass their own. */
export interface Ports {
  /** Milliseconds that never jump. */
  readonly monotonicMs: () => number;
  /** Milliseconds since 1970. */
  readonly epochMs: () => number;
  /** At least 0, less than 1. */
  readonly random: () => number;
  readonly newKey: () => string;
  /** Answers how to stop the timer. */
  readonly startTimer: (delayMs: number, callback: () => void) => () => void;
}

// setTimeout takes longer delays for none at all. Nobody waits for these 24 days.
const maxTimerMs = 2_147_483_647;

export const systemPorts: Ports = {
  monotonicMs: () => performance.now(),
  epochMs: () => Date.now(),
  random: () => Math.random(),
  // randomUUID is missing on pages that are not served by https.
  newKey: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join(''),
  startTimer: (delayMs, callback) => {
    if (delayMs > maxTimerMs) return () => {};
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
