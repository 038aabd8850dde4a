import { cutText, printable } from '@shorty/report';
import type { Forwarded } from './forward-event.js';

/**
 * Formats an event as one line of at most `width` columns: the time, the event type, the status of
 * the response, how long it took, and the link.
 */
export function describeForward(forwarded: Forwarded, width: number, hasColor: boolean): string {
  const { receivedAt, type, event, forwardedStatus, forwardError, durationMs } = forwarded;
  const status = forwardError ? 'FAILED' : String(forwardedStatus ?? '-');
  const isSuccess = !hasFailed(forwarded);
  const color = forwardedStatus === null && isSuccess ? 39 : isSuccess ? 32 : 31;
  const parts = [
    receivedAt.slice(11, 19),
    printable(type).padEnd(19),
    status.padEnd(7),
    (durationMs === null ? '' : `${Math.round(durationMs)} ms`).padStart(8),
    subjectOf(event),
  ];
  const line = cutText(parts.join('  '), width).trimEnd();
  return hasColor ? line.replace(status, `\u001b[${color}m${status}\u001b[39m`) : line;
}

/** Returns whether the receiver did not accept an event. */
export function hasFailed({ forwardedStatus, forwardError }: Forwarded): boolean {
  const isRefused = forwardedStatus !== null && (forwardedStatus < 200 || forwardedStatus > 299);
  return forwardError !== null || isRefused;
}

/** Returns the link that an event is about, without its scheme; otherwise what identifies its subject. */
function subjectOf(event: unknown): string {
  const { data } = fieldsOf(event);
  const { shortUrl, qrData, shortCode, hostname, url, visits } = fieldsOf(data);
  if (Array.isArray(visits)) {
    const [first] = visits;
    const { customSlug, shortCode: code } = fieldsOf(first);
    const more = visits.length > 1 ? ` and ${visits.length - 1} more` : '';
    return `${customSlug ?? code}${more}`;
  }
  const subject = shortUrl ?? qrData ?? shortCode ?? hostname ?? url;
  return typeof subject === 'string' ? subject.replace(/^https?:\/\//, '') : '';
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
