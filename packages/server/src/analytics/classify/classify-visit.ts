import type { IncomingHttpHeaders } from 'node:http';
import type { AgentFacts, AgentReason } from './parse-agent.js';

export type VisitKind = 'human' | 'bot' | 'prefetch' | 'head';

export interface VisitClass {
  /** Only `human` counts in clicks, uniques and scans. */
  readonly kind: VisitKind;
  /** The rule that set `kind`. Stored with the visit, so its names must not change. */
  readonly reason: 'head-request' | PurposeHeader | AgentReason;
}

const purposeHeaders = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;
type PurposeHeader = (typeof purposeHeaders)[number];

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
  return { kind: agent.isBot ? 'bot' : 'human', reason: agent.reason };
}
