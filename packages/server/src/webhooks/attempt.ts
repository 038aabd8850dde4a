/** Where deliveries of a webhook go, and what signs them. */
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

/** A delivery that is ours to attempt until its lease ends. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly organizationId: string;
  /** Whether it counts in the organization's usage once it has been delivered. */
  readonly isCharged: boolean;
  readonly eventType: string;
  readonly body: string;
  /** Attempts made before. */
  readonly attempts: number;
  readonly leasedUntil: number;
}

/** What became of one attempt. */
export interface AttemptOutcome {
  readonly delivery: ClaimedDelivery;
  /** Where it was sent. */
  readonly url: string;
  readonly attemptedAt: number;
  readonly durationMs: number;
  readonly statusCode: number | null;
  /** Null after a success. */
  readonly error: string | null;
  readonly responseBody: string | null;
  /** Of a failure: null when this was the last attempt. */
  readonly nextAttemptAt: number | null;
}
