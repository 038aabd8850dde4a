import type { IncomingHttpHeaders } from 'node:http';
import type { AgentFacts, AgentReason } from './parse-agent.js';

export type VisitKind = 'human' | 'bot' | 'prefetch' | 'head';

export interface VisitClass {
  /** Only `human` counts in clicks, uniques and scans. */
  readonly kind: VisitKind;
  /** The one rule that decided; kept with the visit, so the words are stable. */
  readonly reason: 'head-request' | PurposeHeader | AgentReason;
}

const purposeHeaders = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;
type PurposeHeader = (typeof purposeHeaders)[number];

/**
 * Says once what a visit is. The request's own word comes before the agent's: a browser that loads
 * ahead of its person is a prefetch, whoever made it.
 */
export function classifyVisit(
  method: string | undefined,
  headers: IncomingHttpHeaders,
  agent: Pick<AgentFacts, 'isBot' | 'reason'>,
): VisitClass {
  if (method === 'HEAD') return headRequest;
  for (const name of purposeHeaders) {
    const purpose = headers[name];
    if (purpose !== undefined && isAhead(String(purpose))) {
      return { kind: 'prefetch', reason: name };
    }
  }
  return { kind: agent.isBot ? 'bot' : 'human', reason: agent.reason };
}

const headRequest: VisitClass = { kind: 'head', reason: 'head-request' };

function isAhead(purpose: string): boolean {
  return /prefetch|preview/i.test(purpose);
}
