import type { LinkOwner } from '../contract/caller.js';
import type { HandlersOf } from '../http/handlers.js';
import type { Clock } from '../ports.js';
import type { ShortUrl } from '../urls/short-url.js';
import { toTarget, utmParametersOf } from './link.js';
import { matchRules, type RuleVisit } from './match-rules.js';
import type { RuleTestQuery, ruleTestRoutes } from './rule-test-contract.js';

export interface RuleTestOptions {
  readonly getUrl: (owner: LinkOwner, id: number) => Promise<ShortUrl>;
  readonly clock: Clock;
}

/** The name of the link's own target in reports. */
const ownTarget = '(default)';

export function ruleTestHandlers({
  getUrl,
  clock,
}: RuleTestOptions): HandlersOf<typeof ruleTestRoutes> {
  return {
    async testUrlRules({ caller, params, query }) {
      const url = await getUrl(caller, params.id);
      const { rule = null, targets, skipped } = matchRules(url.rules, toVisit(query, clock()));
      const own = { targetUrl: url.targetUrl, weight: 1, variant: ownTarget };
      const outcomes = rule === null ? [own] : targets;
      const total = outcomes.reduce((sum, { weight }) => sum + weight, 0);
      return {
        status: 200,
        data: {
          rule,
          outcomes: outcomes.map(({ targetUrl, weight, variant }) => ({
            variant,
            location: toTarget(targetUrl, utmParametersOf(url), variant).location,
            share: weight / total,
          })),
          skipped: [...skipped],
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
