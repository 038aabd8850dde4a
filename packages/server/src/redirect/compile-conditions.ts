import { LRUCache } from 'lru-cache';
import type { VisitFacts } from '../analytics/classify/describe-visit.js';
import { isWithinHost, type RuleConditions } from '../urls/rule-conditions.js';

/** What rules read of a visit. */
export interface RuleVisit {
  /** In milliseconds since 1970. */
  readonly visitedAt: number;
  readonly facts: Pick<
    VisitFacts,
    'deviceType' | 'os' | 'browser' | 'country' | 'referrerDomain' | 'visitorKey' | 'addressKey'
  >;
  /** The visit's own query, with or without the question mark. */
  readonly query: string;
  readonly acceptLanguage: string | undefined;
}

/** Returns whether a visit has a condition. `parametersOf` parses its query at the first call. */
export type Condition = (visit: RuleVisit, parametersOf: ParametersOf) => boolean;
type ParametersOf = (visit: RuleVisit) => URLSearchParams;

type Values<Name extends keyof RuleConditions> = NonNullable<RuleConditions[Name]>;

/** Compiles the value of each condition. */
const compilers: {
  readonly [Name in keyof RuleConditions]-?: (value: Values<Name>) => Condition;
} = {
  device: (types) => {
    const set = new Set<string>(types);
    return ({ facts }) => set.has(facts.deviceType);
  },
  os: (names) => {
    const set = lowerCaseSet(names);
    return ({ facts }) => set.has(facts.os.toLowerCase());
  },
  browser: (names) => {
    const set = lowerCaseSet(names);
    return ({ facts }) => set.has(facts.browser.toLowerCase());
  },
  country: (codes) => {
    const set = new Set(codes);
    return ({ facts }) => set.has(facts.country);
  },
  language: (tags) => {
    const lower = tags.map((tag) => tag.toLowerCase());
    return ({ acceptLanguage }) => {
      const first = firstLanguage(acceptLanguage);
      return first !== '' && lower.some((tag) => first === tag || first.startsWith(`${tag}-`));
    };
  },
  referrer: (hosts) => {
    return ({ facts }) => hosts.some((host) => isWithinHost(facts.referrerDomain, host));
  },
  query: (wanted) => {
    const pairs = Object.entries(wanted);
    return (visit, parametersOf) => {
      if (visit.query.length < 2) return false;
      const parameters = parametersOf(visit);
      return pairs.every(([name, value]) =>
        value === true ? parameters.has(name) : parameters.getAll(name).includes(value),
      );
    };
  },
  after: (instant) => {
    const at = toTime(instant);
    return ({ visitedAt }) => visitedAt >= at;
  },
  before: (instant) => {
    const at = toTime(instant);
    return ({ visitedAt }) => visitedAt < at;
  },
};

/** The compiled conditions of a rule, with their names. */
export type Conditions = readonly (readonly [name: string, holds: Condition])[];

// The links of a campaign have the same conditions, which would take most of the memory of their rules.
const maxShared = 1_000;
const shared = new LRUCache<string, Conditions>({ max: maxShared });

/** Returns the compiled conditions of a rule, and whether other rules had the same ones. May throw. */
export function shareConditions(when: RuleConditions): {
  readonly conditions: Conditions;
  readonly isShared: boolean;
} {
  const key = JSON.stringify(when);
  const known = shared.get(key);
  if (known) return { conditions: known, isShared: true };
  const conditions = compileConditions(when);
  shared.set(key, conditions);
  return { conditions, isShared: false };
}

/**
 * Compiles the conditions of a rule, with their names. Throws when one is unknown, which another version
 * may have stored: without it, the rule would match visits that it must not match.
 */
function compileConditions(when: RuleConditions): Conditions {
  return Object.entries(when).map(([name, value]) => {
    if (!Object.hasOwn(compilers, name)) throw new TypeError(`unknown condition ${name}`);
    const compile = compilers[name as keyof RuleConditions] as (value: unknown) => Condition;
    return [name, compile(value)] as const;
  });
}

// A longer query is truncated, so that a visit takes bounded time.
const maxQueryLength = 4_096;

/** Returns a function that parses the query of one visit once. */
export function parametersOnce(): ParametersOf {
  let parameters: URLSearchParams | undefined;
  return ({ query }) => {
    parameters ??= new URLSearchParams(query.slice(0, maxQueryLength));
    return parameters;
  };
}

const firstRange = /^\s*([a-z]{2,3}(?:-[a-z0-9]{1,8}){0,8})(?=[,;\s]|$)/i;

/** Returns the first language range of `Accept-Language` in lower case, or the empty text. */
function firstLanguage(header: string | undefined): string {
  return (header && firstRange.exec(header)?.[1]?.toLowerCase()) || '';
}

function lowerCaseSet(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}

function toTime(instant: string): number {
  const time = Date.parse(instant);
  if (Number.isNaN(time)) throw new TypeError(`${instant} is no time`);
  return time;
}
