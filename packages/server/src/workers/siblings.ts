import { type AttemptLimit, AttemptLimiter, type AttemptLimits } from '../auth/attempt-limiter.js';
import type { Changed } from './shared-caches.js';

/** What the server's other processes may have this one do. */
export interface OwnPart {
  forget(changed: Changed): void;
  forgetEverything(): void;
  /** Prometheus' text format. */
  metrics(): Promise<string>;
  /** How long ago this process last looked after webhooks, if it does. */
  dispatcherIdleMs(): number;
  wakeDispatcher(): void;
  /** Stores the visits that dead processes have left. */
  adoptLeftovers(): void;
}

/** The other processes of a server that has several, as one of them sees them. */
export interface Siblings {
  /** How many processes answer requests. */
  readonly workers: number;
  /** Whether this process answers requests. */
  readonly serves: boolean;
  /** Whether this process does what is done once: migrations, expiry, deliveries, pruning. */
  readonly keeps: boolean;
  /** Resolves when every other process has let go; undefined where there is none. */
  readonly tellChanged: ((changed: Changed) => Promise<void>) | undefined;
  /** Requests may be answered from when it resolves: this process is told of changes from then on. */
  join(part: OwnPart): Promise<void>;
  /** Counts the attempts of one name in all processes together. */
  limiter(name: string, limit: AttemptLimit): AttemptLimits;
  /** Wakes the dispatcher of the process that keeps. */
  wakeDispatcher(): void;
  /** How long ago webhooks were last looked after: `own`, where this process does. */
  dispatcherIdleMs(own: () => number): number | Promise<number>;
  /** The figures of all processes, of which `own` are this one's. */
  metrics(own: () => Promise<string>): Promise<string>;
}

/** A server of one process. */
export const alone: Siblings = {
  workers: 1,
  serves: true,
  keeps: true,
  tellChanged: undefined,
  async join() {},
  limiter: (_name, limit) => new AttemptLimiter(limit),
  wakeDispatcher() {},
  dispatcherIdleMs: (own) => own(),
  metrics: (own) => own(),
};
