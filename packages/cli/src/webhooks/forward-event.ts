import { cutText, printable } from '@shorty/report';
import { signBody } from '@shorty/webhook-verifier';
import { reasonOf } from '../cli-error.js';
import type { Io } from '../io.js';

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
  event: { readonly id: string; readonly type: string },
  target: URL | undefined,
  secret: string,
  { now, interrupt }: Pick<Io, 'now' | 'interrupt'>,
): Promise<Forwarded> {
  const startedAt = now();
  const received = {
    ...{ receivedAt: new Date(startedAt).toISOString(), deliveryId: event.id, type: event.type },
    ...{ event, forwardedStatus: null, forwardError: null, durationMs: null },
  };
  if (!target) return received;
  const body = JSON.stringify(event);
  // The id is that of the event, so a receiver that deduplicates handles an event once.
  const signing = { secret, deliveryId: event.id, now: new Date(startedAt) };
  const headers = { ...signBody(body, event.type, signing), 'User-Agent': 'Shorty-Webhooks/1' };
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const { status, body: content } = await fetch(target, {
      ...{ method: 'POST', headers, body, redirect: 'manual' },
      signal: AbortSignal.any([interrupt, limit]),
    });
    await content?.cancel();
    return { ...received, forwardedStatus: status, durationMs: now() - startedAt };
  } catch (error) {
    if (interrupt.aborted) throw error;
    const reason = limit.aborted ? `no response within ${timeoutMs / 1000} s` : reasonOf(error);
    return { ...received, forwardError: reason, durationMs: now() - startedAt };
  }
}

/**
 * Formats an event as one line of at most `width` columns: the time, the event type, the status of
 * the response, how long it took, and the id of the event.
 */
export function describeForward(forwarded: Forwarded, width: number, hasColor: boolean): string {
  const { receivedAt, type, deliveryId, forwardedStatus, forwardError, durationMs } = forwarded;
  const status = forwardError ? 'FAILED' : String(forwardedStatus ?? '-');
  const isSuccess = !hasFailed(forwarded);
  const color = forwardedStatus === null && isSuccess ? 39 : isSuccess ? 32 : 31;
  const parts = [
    receivedAt.slice(11, 19),
    printable(type).padEnd(19),
    status.padEnd(7),
    (durationMs === null ? '' : `${Math.round(durationMs)} ms`).padStart(8),
    deliveryId,
  ];
  const line = cutText(parts.join('  '), width).trimEnd();
  return hasColor ? line.replace(status, `\u001b[${color}m${status}\u001b[39m`) : line;
}

/** Returns whether the receiver did not accept an event. */
export function hasFailed({ forwardedStatus, forwardError }: Forwarded): boolean {
  const isRefused = forwardedStatus !== null && (forwardedStatus < 200 || forwardedStatus > 299);
  return forwardError !== null || isRefused;
}
