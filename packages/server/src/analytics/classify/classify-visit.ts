import type { IncomingHttpHeaders } from 'node:http';
import { isHeadless } from './client-hints.js';
import type { AgentFacts, AgentReason } from './parse-agent.js';

export type VisitKind = 'human' | 'bot' | 'prefetch' | 'head' | 'excluded';

export interface VisitClass {
  /** Only `human` counts in clicks, uniques and scans. */
  readonly kind: VisitKind;
  /** The rule that set `kind`. Metrics and journals have its names. */
  readonly reason: 'head-request' | PurposeHeader | AgentReason | HeaderReason | 'excluded-address';
}

const purposeHeaders = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;
type PurposeHeader = (typeof purposeHeaders)[number];

/** `signature-agent`: an assistant that signs its requests (Web Bot Auth). */
type HeaderReason = 'signature-agent' | 'headless-hint' | 'subresource';

// The values of `Sec-Fetch-Dest` that show a page. Others are images, scripts and such.
const pageDestinations = new Set(['document', 'iframe', 'frame', 'fencedframe', 'object', 'embed']);

/**
 * Classifies a visit. The method and the purpose headers take precedence over the user agent: a
 * prefetch by a browser is not a person's visit.
 */
export function classifyVisit(
  method: string | undefined,
  headers: IncomingHttpHeaders,
  agent: Pick<AgentFacts, 'isBot' | 'reason'>,
): VisitClass {
  if (method === 'HEAD') return { kind: 'head', reason: 'head-request' };
  for (const name of purposeHeaders) {
    const purpose = headers[name];
    if (purpose !== undefined && /prefetch|preview/i.test(String(purpose))) {
      return { kind: 'prefetch', reason: name };
    }
  }
  const reason = agent.isBot ? undefined : programReasonOf(headers);
  if (reason !== undefined) return { kind: 'bot', reason };
  return { kind: agent.isBot ? 'bot' : 'human', reason: agent.reason };
}

/** Returns the header by which a request with a browser's user agent is not a person's visit. */
function programReasonOf(headers: IncomingHttpHeaders): HeaderReason | undefined {
  if (headers['signature-agent'] !== undefined) return 'signature-agent';
  if (isHeadless(headers)) return 'headless-hint';
  const destination = headers['sec-fetch-dest'];
  if (destination === undefined || pageDestinations.has(String(destination))) return undefined;
  // Browsers send `empty` for a link that the visitor saves as a file.
  return destination === 'empty' && headers['sec-fetch-mode'] === 'navigate'
    ? undefined
    : 'subresource';
}
