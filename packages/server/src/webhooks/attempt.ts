import type { DueDelivery } from '../storage/due-deliveries.js';

/** A delivery that this dispatcher may attempt until its lease expires. */
export interface ClaimedDelivery extends DueDelivery {
  readonly leasedUntil: number;
}

/** The outcome of one attempt. */
export interface AttemptOutcome {
  readonly delivery: ClaimedDelivery;
  /** The URL of this attempt. The webhook's URL may have changed since. */
  readonly url: string;
  readonly attemptedAt: number;
  readonly durationMs: number;
  readonly statusCode: number | null;
  /** Null after a success. */
  readonly error: string | null;
  readonly responseBody: string | null;
  /** Null after a success, and after the last attempt of the schedule. */
  readonly nextAttemptAt: number | null;
}
