import { signBody } from '@shorty/webhook-verifier';
import { forward, reasonOf } from './forward.js';
import type { Received } from './received.js';

interface SentEvent {
  readonly id: string;
  readonly type: string;
}

/** Signs an event on this machine and posts it to a receiver, if there is one. */
export async function forwardEvent(
  event: SentEvent,
  {
    target,
    secret,
    now,
    signal,
  }: { target: URL | undefined; secret: string; now: () => number; signal: AbortSignal },
): Promise<Received> {
  const text = JSON.stringify(event);
  const startedAt = now();
  let forwardedStatus: number | null = null;
  let forwardError: string | null = null;
  if (target) {
    // The id is that of the event, so a receiver that deduplicates handles an event once.
    const signed = { secret, deliveryId: event.id, now: new Date(startedAt) };
    const headers = { ...signBody(text, event.type, signed), 'User-Agent': 'Shorty-Webhooks/1' };
    try {
      const response = await forward(target, { headers, body: Buffer.from(text), signal });
      forwardedStatus = response.status;
    } catch (error) {
      if (signal.aborted) throw error;
      forwardError = reasonOf(error);
    }
  }
  return {
    receivedAt: new Date(startedAt).toISOString(),
    deliveryId: event.id,
    type: event.type,
    isVerified: true,
    refusal: null,
    event,
    forwardedStatus,
    forwardError,
    durationMs: target ? now() - startedAt : null,
  };
}
