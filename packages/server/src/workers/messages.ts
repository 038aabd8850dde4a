import type { AttemptLimit } from '../auth/attempt-limiter.js';
import type { ProcessMetrics } from '../health/merge-metrics.js';
import type { Changed } from './shared-caches.js';

/** What a process of the server is for: workers answer requests, the keeper does what is done once. */
export type Role = 'worker' | 'keeper';

/** One of those that share a limit: the attempts of one name. */
export interface Attempt {
  readonly name: string;
  readonly limit: AttemptLimit;
  readonly guesser: string;
}

export interface TakenAttempt extends Attempt {
  readonly now: number;
  readonly isRight: boolean;
}

/** What a process asks of the primary. */
export type PrimaryAnswers = {
  /** From the answer on, the process is told what to forget. */
  join(nothing: null): void;
  /** With the API's public origin. */
  started(url: string): void;
  /** The start has failed, for a reason that is the operator's to mend. */
  failed(reason: string): void;
  /** Answered when every other worker has let go. */
  changed(changed: Changed): Promise<void>;
  /** Milliseconds to wait, or 0. */
  takeAttempt(attempt: TakenAttempt): number;
  giveBackAttempt(attempt: Attempt): void;
  /** Those of the other processes. */
  metrics(nothing: null): Promise<readonly ProcessMetrics[]>;
  /** How long ago the keeper last looked after webhooks, or since when there is none. */
  dispatcherIdleMs(nothing: null): Promise<number>;
  /** Something may be due for delivery. */
  wake(nothing: null): void;
};

/** What the primary asks of a process. */
export type ProcessAnswers = {
  forget(changed: Changed): void;
  forgetEverything(nothing: null): void;
  metrics(nothing: null): Promise<string>;
  dispatcherIdleMs(nothing: null): number;
  wake(nothing: null): void;
  /** Stores the visits that dead processes have left. */
  adopt(nothing: null): void;
  stop(nothing: null): void;
};
