import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../config.js';
import { entryLimit } from '../../entry-limit.js';
import type { VisitorKeys } from '../visitor-keys.js';
import { isAdClick } from './ad-clicks.js';
import { classifyVisit, type VisitClass } from './classify-visit.js';
import { applyClientHints } from './client-hints.js';
import { countryCode, type FindPlace, type Place, unknownCountry } from './country-database.js';
import { scanEvidence } from './decide-scan.js';
import { normalizeHost } from './normalize-host.js';
import { type AgentFacts, maxAgentLength, parseAgent } from './parse-agent.js';
import { type Campaign, parseCampaign } from './parse-campaign.js';
import {
  directReferrer,
  parseReferrer,
  type ReferrerFacts,
  refineReferrer,
} from './parse-referrer.js';

/** The stored facts of a visit. Texts are short and have one line. No fact identifies a person. */
export type VisitFacts = VisitClass &
  Pick<AgentFacts, 'deviceType' | 'browser' | 'os' | 'scannerApp'> &
  Pick<ReferrerFacts, 'referrerDomain' | 'referrerType'> &
  Place & {
    /** Bits of `scanEvidence`. */
    readonly evidence: number;
    readonly addressKey: string;
    /** Null when the visitor sends a privacy signal and the server honours it. */
    readonly visitorKey: string | null;
    /** The UTM parameters of the visit's own query, then also of its target; null when there are none. */
    readonly campaign: Campaign | null;
    /** The visitor's language in two or three lower-case letters; null when it is unknown. */
    readonly language: string | null;
  };

export interface VisitRequest {
  readonly visitedAt: number;
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The visit's own query, with or without the question mark. */
  readonly query: string;
  /** The visitor's address. Behind a trusted proxy, it comes from `X-Forwarded-For`. */
  readonly address: string;
  /** True when the connection comes from a trusted proxy. Only then is `countryHeader` read. */
  readonly isPeerTrusted: boolean;
  /** The `Host` header, with or without a port. */
  readonly shortDomain: string;
}

export interface VisitDescriberOptions
  extends Pick<Config, 'countryHeader' | 'honourPrivacySignals'> {
  readonly visitorKeys: VisitorKeys;
  readonly findPlace: FindPlace;
}

/** Returns the facts of a visit. Never throws. */
export type DescribeVisit = (request: VisitRequest) => VisitFacts;

// All caches, full and with the longest keys, take less than 40 MB.
const maxAgents = 10_000;
const maxReferrers = 10_000;
const maxVisitors = 50_000;
const maxOriginLength = 300;
// An address has at most 45 characters. A forged one may be longer, and is not cached.
const maxAddressLength = 64;
const maxIdLength = 17;

/** Creates the function that derives the facts of a visit from a request. It caches parsed headers. */
export function createVisitDescriber(options: VisitDescriberOptions): DescribeVisit {
  const { findPlace, honourPrivacySignals, visitorKeys } = options;
  const countryHeader = options.countryHeader?.toLowerCase();
  let lastAgentId = 0;

  const agentOf = memoize(maxAgents, maxAgentLength, (userAgent) => {
    lastAgentId += 1;
    // The id replaces the long user agent in the keys of the visitor cache.
    return { ...parseAgent(userAgent), id: lastAgentId };
  });
  const hostOf = memoize(maxReferrers, maxOriginLength, parseReferrer);
  function referrerOf(referer: string): ReferrerFacts {
    const origin = originOf(referer);
    const facts = hostOf(origin);
    return referer.length > origin.length + 1 ? refineReferrer(facts, referer) : facts;
  }
  const visitorOf = memoize(
    maxVisitors,
    maxAddressLength + maxIdLength,
    (_visitor, address: string, userAgent: string) => ({
      place: findPlace(address),
      addressKey: visitorKeys.addressKey(address),
      key: visitorKeys.visitorKey(address, userAgent.slice(0, maxAgentLength)),
    }),
  );

  return (request) => {
    const { method, headers, query, address } = request;
    const { isPeerTrusted, shortDomain } = request;
    const userAgent = headers['user-agent'] ?? '';
    const agent = agentOf(userAgent);
    const { referer } = headers;
    const referrer = referer === undefined ? directReferrer : referrerOf(referer);
    const visitor = visitorOf(`${agent.id} ${address}`, address, userAgent);
    const visitClass = classifyVisit(method, headers, agent);
    const { deviceType, browser, os } = applyClientHints(agent, headers);
    const site = headers['sec-fetch-site'];
    const isAnonymous = honourPrivacySignals && (headers['sec-gpc'] === '1' || headers.dnt === '1');
    const proxyCountry =
      isPeerTrusted && countryHeader !== undefined
        ? countryCode(headers[countryHeader])
        : unknownCountry;
    const campaign = query === '' ? null : parseCampaign(query);
    // The region and the city of an address are not in the country that the proxy found.
    const place: Place =
      proxyCountry === unknownCountry || proxyCountry === visitor.place.country
        ? visitor.place
        : { country: proxyCountry, region: null, city: null };
    let { referrerType } = referrer;
    if (isAdClick(query, campaign)) referrerType = 'paid';
    else if (referrerType !== 'paid' && referrer.hasPage) {
      if (referrer.referrerDomain === normalizeHost(shortDomain)) referrerType = 'internal';
    }
    return {
      kind: visitClass.kind,
      reason: visitClass.reason,
      country: place.country,
      region: place.region,
      city: place.city,
      deviceType,
      browser,
      os,
      scannerApp: agent.scannerApp,
      evidence:
        (agent.isDedicatedScanner ? scanEvidence.dedicatedScanner : 0) |
        (agent.isInApp ? scanEvidence.inApp : 0) |
        (referrer.hasPage ? scanEvidence.referrer : 0) |
        (referrer.isImageSearch ? scanEvidence.imageSearch : 0) |
        (site === undefined || site === 'none' ? scanEvidence.ownNavigation : 0),
      referrerDomain: referrer.referrerDomain,
      referrerType,
      addressKey: visitor.addressKey,
      visitorKey: isAnonymous ? null : visitor.key,
      campaign,
      language: parseLanguage(headers['accept-language']),
    };
  };
}

const primaryLanguage = /^\s*([a-z]{2,3})(?=[-,;\s]|$)/i;

/**
 * Parses the primary language of the first range in `Accept-Language`: two or three lower-case letters.
 * Returns null when there is none. Never throws.
 */
export function parseLanguage(header: string | undefined): string | null {
  if (header === undefined) return null;
  return primaryLanguage.exec(header)?.[1]?.toLowerCase() ?? null;
}

/** Removes the path of a referrer, so all pages of a site share one cache entry. */
function originOf(referer: string): string {
  const path = referer.indexOf('/', referer.indexOf('//') + 2);
  return path < 0 ? referer : referer.slice(0, path);
}

/** Caches the results of `compute` for the `max` last used texts of at most `maxLength` characters. */
function memoize<Value extends object | string, Rest extends readonly unknown[] = []>(
  max: number,
  maxLength: number,
  compute: (text: string, ...rest: Rest) => Value,
): (text: string, ...rest: Rest) => Value {
  const cache = new LRUCache<string, Value>(entryLimit(max));
  return (text, ...rest) => {
    const known = cache.get(text);
    if (known !== undefined) return known;
    const value = compute(text, ...rest);
    // Copied, because a slice of a header retains the whole header.
    if (text.length <= maxLength) cache.set(structuredClone(text), value);
    return value;
  };
}
