import { LRUCache } from 'lru-cache';
import { targetsOfRules } from '../urls/link-rules.js';
import type { ShortUrl } from '../urls/short-url.js';
import type { RuleVisit } from './compile-conditions.js';
import { CompiledRules } from './compile-rules.js';
import { type Target, type TargetSettings, toTarget } from './target.js';

/** The rules of a link in the cache. */
export interface CachedRules {
  /** Returns the target of the first rule that matches; undefined when none does. May throw. */
  readonly choose: (visit: RuleVisit) => Target | undefined;
  /** Returns the locations of all targets. */
  readonly locations: () => readonly string[];
  /** An upper bound of the memory that they take. */
  readonly maxBytes: number;
}

// Upper bounds by a measurement of 20,000 links with 5 rules and 6 targets: 2,600 bytes with the conditions
// of other links, 4,600 with four conditions of their own.
const bytesPerRule = 200;
const bytesPerTarget = 250;
const bytesPerConditions = 1_000;

/**
 * Compiles the rules of a link. Rules that this version does not know, which a later one has stored,
 * throw at each visit, so that each visit leads to the link's own target.
 */
export function toCachedRules(
  { id, rules }: Pick<ShortUrl, 'id' | 'rules'>,
  settings: TargetSettings,
): CachedRules {
  try {
    const compiled = compileRules({ id, rules }, settings);
    const targets = targetsOfRules(rules);
    const utm = settings.parameters.reduce((sum, pair) => sum + pair.join().length, 0);
    // An escape takes three bytes.
    const textBytes = targets.reduce((sum, { targetUrl }) => sum + 3 * (targetUrl.length + utm), 0);
    return {
      choose: (visit) => compiled.choose(visit),
      locations: () => compiled.targets().map(({ location }) => location),
      maxBytes:
        textBytes +
        bytesPerRule * rules.length +
        bytesPerTarget * targets.length +
        (compiled.ownConditions > 0 ? JSON.stringify(rules).length : 0) +
        bytesPerConditions * compiled.ownConditions,
    };
  } catch (error) {
    const choose = () => {
      throw error;
    };
    return { choose, locations: () => [], maxBytes: 0 };
  }
}

/** Compiles the rules of a link, whose UTM parameters are set on each target. */
export function compileRules(
  { id, rules }: Pick<ShortUrl, 'id' | 'rules'>,
  settings: TargetSettings,
): CompiledRules {
  return new CompiledRules(id, rules, (targetUrl, variant) =>
    shareTarget(targetUrl, settings, variant),
  );
}

// The rules of a campaign's links often lead to the same pages, and parsing a URL takes some microseconds.
const maxSharedTargets = 1_000;
const maxKeyLength = 1_000;
const sharedTargets = new LRUCache<string, Target>({ max: maxSharedTargets });

/** Returns the target of a URL: the same object for equal URLs, settings and variants. */
function shareTarget(targetUrl: string, settings: TargetSettings, variant: string): Target {
  const key = JSON.stringify([targetUrl, variant, settings.forwardsPath, settings.parameters]);
  if (key.length > maxKeyLength) return toTarget(targetUrl, settings, variant);
  const known = sharedTargets.get(key);
  if (known) return known;
  const target = toTarget(targetUrl, settings, variant);
  sharedTargets.set(key, target);
  return target;
}
