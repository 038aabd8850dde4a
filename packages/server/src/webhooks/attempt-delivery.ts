import { signBody } from '@shorty/webhook-verifier';
import type { GuardedFetch } from '../network/guarded-fetch.js';
import { GuardedFetchError } from '../network/guarded-fetch-error.js';
import type { Clock } from '../ports.js';
import type { AttemptOutcome, ClaimedDelivery, Endpoint } from './attempt.js';
import { nextAttemptAt, type RetrySchedule } from './retry-schedule.js';
import { keptResponseBytes } from './webhook-contract.js';

/** How long an endpoint has to acknowledge. Specification, "Limits". */
export const attemptTimeoutMs = 5_000;

const userAgent = 'Shorty-Webhooks/1';

export interface AttemptContext {
  readonly fetch: GuardedFetch;
  readonly schedule: RetrySchedule;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Signs a delivery anew and posts it; returns the outcome. Throws only the signal's reason. */
export async function attemptDelivery(
  delivery: ClaimedDelivery,
  endpoint: Endpoint,
  { fetch, schedule, clock, signal }: AttemptContext,
): Promise<AttemptOutcome> {
  const attemptedAt = clock();
  const startedAt = performance.now();
  const headers: Record<string, string> = signBody(delivery.body, delivery.eventType, {
    secret: secretsAt(endpoint, attemptedAt),
    deliveryId: delivery.id,
    now: new Date(attemptedAt),
  });
  headers['User-Agent'] = userAgent;
  const answer = await fetch
    .request(endpoint.url, {
      method: 'POST',
      headers,
      body: delivery.body,
      timeoutMs: attemptTimeoutMs,
      maxResponseBytes: keptResponseBytes,
      onOversize: 'cut',
      signal,
    })
    .catch((error: unknown) => {
      if (error instanceof GuardedFetchError) return error;
      throw error;
    });
  const durationMs = Math.round(performance.now() - startedAt);
  const { url } = endpoint;
  const retryAt = () => nextAttemptAt(schedule, delivery.attempts + 1, attemptedAt);
  if (answer instanceof GuardedFetchError) {
    return {
      delivery,
      url,
      attemptedAt,
      durationMs,
      statusCode: null,
      error: answer.message,
      responseBody: null,
      nextAttemptAt: retryAt(),
    };
  }
  const { status, body } = answer;
  const isSuccess = status >= 200 && status < 300;
  return {
    delivery,
    url,
    attemptedAt,
    durationMs,
    statusCode: status,
    error: isSuccess ? null : `The receiver answered ${status}`,
    responseBody: textOf(body),
    nextAttemptAt: isSuccess ? null : retryAt(),
  };
}

/** The secrets that sign: for a day after a rotation the one before as well. */
function secretsAt(endpoint: Endpoint, now: number): readonly string[] {
  const { secret, previousSecret, previousSecretExpiresAt } = endpoint;
  const bothSign = previousSecret !== null && now < (previousSecretExpiresAt ?? 0);
  return bothSign ? [secret, previousSecret] : [secret];
}

/** What was answered as text that every storage engine keeps. */
function textOf(body: Uint8Array): string {
  if (body.length === 0) return '';
  return new TextDecoder().decode(body).replaceAll('\0', '\uFFFD');
}
