import { guardedFetchReasons } from '../network/guarded-fetch-error.js';
import type { DueDelivery } from '../storage/due-deliveries.js';

/** A delivery that this dispatcher may attempt until its lease expires. */
export type ClaimedDelivery = DueDelivery;

/** Why an attempt failed: the class of the response's status, or the reason for no response. */
export const failureCauses = [
  'status_3xx',
  'status_4xx',
  'status_5xx',
  'status_other',
  ...guardedFetchReasons,
] as const;

export type FailureCause = (typeof failureCauses)[number];

/** Returns the cause of a failure with this status. */
export function causeOfStatus(status: number): FailureCause {
  const cause = failureCauses.find((each) => each === `status_${Math.floor(status / 100)}xx`);
  return cause ?? 'status_other';
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
  readonly cause: FailureCause | null;
  /** Null after a success. */
  readonly error: string | null;
  readonly responseBody: string | null;
  /** Null after a success, and after the last attempt of the schedule. */
  readonly nextAttemptAt: number | null;
}
