import { guardedFetchReasons } from '../network/guarded-connector.js';

/** The maximum number of pending deliveries that are counted. */
export const maxPendingCounted = 100_000;
/** The length of the response that is stored. */
export const maxStoredResponseBytes = 2048;

/** What the dispatcher needs of a webhook to send its deliveries. */
export interface Receiver {
  readonly webhookId: string;
  readonly organizationId: string;
  readonly url: string;
  readonly headers: string | null;
  /** The encrypted secrets. */
  readonly secret: string;
  /** JSON of the subscription. */
  readonly events: string;
  readonly filters: string | null;
}

/** A delivery that a dispatcher has leased. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly attempts: number;
  /** 1 if it counts in the organization's usage when it is delivered. */
  readonly isCharged: number;
  readonly eventType: string;
  /** The same object for all deliveries to the webhook that were leased together. */
  readonly receiver: Receiver;
  readonly body: string;
}

/** Why an attempt failed: the class of the response's status, or the reason for no response. */
export const failureCauses = [
  'status_3xx',
  'status_4xx',
  'status_5xx',
  'status_other',
  ...guardedFetchReasons,
] as const;

export type FailureCause = (typeof failureCauses)[number];

export function causeOfStatus(status: number): FailureCause {
  const cause = failureCauses.find((each) => each === `status_${Math.floor(status / 100)}xx`);
  return cause ?? 'status_other';
}

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
