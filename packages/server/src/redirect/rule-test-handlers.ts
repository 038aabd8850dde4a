import type { HandlersOf } from '../http/handlers.js';
import type { Clock } from '../ports.js';
import type { ShortUrl } from '../urls/short-url.js';
import { compileRules } from './cached-rules.js';
import type { RuleVisit } from './compile-conditions.js';
import { utmParametersOf } from './link.js';
import type { RuleTestQuery, ruleTestRoutes } from './rule-test-contract.js';
import { toTarget } from './target.js';

export interface RuleTestOptions {
  /** Returns a link of an organization. Throws NOT_FOUND. */
  readonly getUrl: (organizationId: string, id: number) => Promise<ShortUrl>;
  readonly clock: Clock;
}

/** The name of the link's own target in reports. */
const ownTarget = '(default)';

/** Evaluates the rules of a link for a described visit. */
export function ruleTestHandlers({
  getUrl,
  clock,
}: RuleTestOptions): HandlersOf<typeof ruleTestRoutes> {
  return {
    async testUrlRules({ caller, params, query }) {
      const url = await getUrl(caller.organizationId, params.id);
      const settings = { parameters: utmParametersOf(url), forwardsPath: false };
      const compiled = compileRules(url, settings);
      const { rule = null, outcomes, skipped } = compiled.explain(toVisit(query, clock()));
      const own = { target: toTarget(url.targetUrl, settings, null), share: 1 };
      return {
        status: 200,
        data: {
          rule,
          outcomes: (rule === null ? [own] : outcomes).map(({ target, share }) => ({
            variant: target.variant ?? ownTarget,
            location: target.location,
            share,
          })),
          skipped,
        },
      };
    },
  };
}

/** Returns a visit with these properties. The others are unknown, as for a visit without headers. */
function toVisit(asked: RuleTestQuery, now: number): RuleVisit {
  const { device, os, browser, country, language, query, referrer, at } = asked;
  return {
    visitedAt: at === undefined ? now : Date.parse(at),
    query: query ?? '',
    acceptLanguage: language,
    facts: {
      deviceType: device ?? 'other',
      os: os ?? 'Unknown',
      browser: browser ?? 'Unknown',
      country: country ?? 'Unknown',
      referrerDomain: referrer ?? '(direct)',
      visitorKey: null,
      addressKey: '',
    },
  };
}
