import { signBody } from '@shorty/webhook-verifier';
import { GuardedFetchError } from '../network/guarded-connector.js';
import type { GuardedFetch } from '../network/guarded-fetch.js';
import type { Clock } from '../ports.js';
import type { Keyring } from '../storage/keyring.js';
import {
  type AttemptOutcome,
  type ClaimedDelivery,
  causeOfStatus,
  maxStoredResponseBytes,
  type Receiver,
} from './attempt.js';
import { decryptSecrets, placeOfWebhook, signingSecrets, type WebhookSecrets } from './secrets.js';

/** The time limit of one attempt. Specification, "Limits". */
export const attemptTimeoutMs = 5_000;
// The headers of a response decide. The body is only stored for the owner of the endpoint.
const bodyTimeoutMs = 500;

const userAgent = 'Shorty-Webhooks/1';

/** The delays in milliseconds before the second attempt, the third, and so on. */
export type RetrySchedule = readonly number[];

export interface AttemptContext {
  readonly fetch: GuardedFetch;
  readonly schedule: RetrySchedule;
  readonly clock: Clock;
  readonly keyring: Keyring;
}

/** Signs and posts a delivery, and returns the outcome. Throws a FetchClosedError on a stop. */
export async function signAndSend(
  delivery: ClaimedDelivery,
  { fetch, schedule, clock, keyring }: AttemptContext,
): Promise<AttemptOutcome> {
  const { id, receiver, eventType, body } = delivery;
  const { secrets, headers } = decrypt(receiver, keyring);
  const attemptedAt = clock();
  const startedAt = performance.now();
  const response = await fetch
    .request(receiver.url, {
      method: 'POST',
      headers: {
        ...headers,
        ...signBody(body, eventType, {
          secret: signingSecrets(secrets, attemptedAt),
          deliveryId: id,
          now: new Date(attemptedAt),
        }),
        'User-Agent': userAgent,
      },
      body,
      timeoutMs: attemptTimeoutMs,
      bodyTimeoutMs,
      maxResponseBytes: maxStoredResponseBytes,
    })
    .catch((error: unknown) => {
      if (error instanceof GuardedFetchError) return error;
      throw error;
    });
  const durationMs = Math.round(performance.now() - startedAt);
  const isError = response instanceof GuardedFetchError;
  const statusCode = isError ? null : response.status;
  const isSuccess = statusCode !== null && statusCode >= 200 && statusCode < 300;
  const cause = isError ? response.reason : causeOfStatus(response.status);
  const delayMs = isSuccess ? undefined : schedule[delivery.attempts];
  const failure = isError ? response.message : `The receiver answered ${statusCode}`;
  return {
    delivery,
    url: receiver.url,
    attemptedAt,
    durationMs,
    statusCode,
    cause: isSuccess ? null : cause,
    error: isSuccess ? null : failure,
    responseBody: isError ? null : textOf(response.body),
    nextAttemptAt: delayMs === undefined ? null : attemptedAt + delayMs,
  };
}

interface Credentials {
  readonly secrets: WebhookSecrets;
  /** The headers that the owner has set. */
  readonly headers: Readonly<Record<string, string>>;
}

// Decrypting takes longer than signing, so it is done once for all deliveries that were leased together.
const decrypted = new WeakMap<Receiver, Credentials>();

/** Throws an UnreadableSecretError. */
function decrypt(receiver: Receiver, keyring: Keyring): Credentials {
  const known = decrypted.get(receiver);
  if (known) return known;
  const { webhookId, headers, secret } = receiver;
  const credentials = {
    secrets: decryptSecrets(keyring, webhookId, secret),
    headers:
      headers === null ? {} : JSON.parse(keyring.decrypt(headers, placeOfWebhook(webhookId))),
  };
  decrypted.set(receiver, credentials);
  return credentials;
}

/** Decodes a response body, without a last character that was cut. PostgreSQL cannot store NUL in text. */
function textOf(body: Uint8Array): string {
  if (body.length === 0) return '';
  return new TextDecoder().decode(body, { stream: true }).replaceAll('\0', '\uFFFD');
}
