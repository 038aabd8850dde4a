import { signBody } from '@shorty/webhook-verifier';

interface SentEvent {
  readonly id: string;
  readonly type: string;
}

/** What a receiver answered to an event, in the output format of `webhooks listen`. */
export interface Forwarded {
  readonly receivedAt: string;
  readonly deliveryId: string;
  readonly type: string;
  readonly event: unknown;
  /** The status of the receiver; null when nothing was forwarded. */
  readonly forwardedStatus: number | null;
  readonly forwardError: string | null;
  readonly durationMs: number | null;
}

const timeoutMs = 30_000;

/** Signs an event on this machine and posts it to a receiver, if there is one. */
export async function forwardEvent(
  event: SentEvent,
  {
    target,
    secret,
    now,
    signal,
  }: { target: URL | undefined; secret: string; now: () => number; signal: AbortSignal },
): Promise<Forwarded> {
  const body = JSON.stringify(event);
  const startedAt = now();
  let forwardedStatus: number | null = null;
  let forwardError: string | null = null;
  if (target) {
    // The id is that of the event, so a receiver that deduplicates handles an event once.
    const signed = signBody(body, event.type, {
      ...{ secret, deliveryId: event.id, now: new Date(startedAt) },
    });
    const headers = { ...signed, 'User-Agent': 'Shorty-Webhooks/1' };
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const { status, body: content } = await fetch(target, {
        ...{ method: 'POST', headers, body, redirect: 'manual' },
        signal: AbortSignal.any([signal, limit]),
      });
      await content?.cancel();
      forwardedStatus = status;
    } catch (error) {
      if (signal.aborted) throw error;
      forwardError = limit.aborted ? `no response within ${timeoutMs / 1000} s` : reasonOf(error);
    }
  }
  return {
    receivedAt: new Date(startedAt).toISOString(),
    deliveryId: event.id,
    type: event.type,
    event,
    forwardedStatus,
    forwardError,
    durationMs: target ? now() - startedAt : null,
  };
}

/** Returns the reason of a failed request. The error of `fetch` has it as its cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  const code = 'code' in error ? String(error.code) : '';
  return error.message || code || error.name;
}
