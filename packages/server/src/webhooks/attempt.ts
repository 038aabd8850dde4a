/** An active webhook with pending deliveries, as the dispatcher uses it. */
export interface Endpoint {
  readonly webhookId: string;
  readonly organizationId: string;
  readonly url: string;
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousSecretExpiresAt: number | null;
  /** Whether its last recorded attempt was a success. */
  readonly hasSucceeded: boolean;
  /** When its earliest pending delivery is due. */
  readonly dueAt: number;
}

/** A delivery that this dispatcher may attempt until its lease expires. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly organizationId: string;
  /** Whether it counts in the organization's usage when it is delivered. */
  readonly isCharged: boolean;
  readonly eventType: string;
  readonly body: string;
  /** The number of earlier attempts. */
  readonly attempts: number;
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
