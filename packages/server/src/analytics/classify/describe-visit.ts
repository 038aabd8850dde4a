import type { IncomingHttpHeaders } from 'node:http';
import { classifyVisit, type VisitClass } from './classify-visit.js';
import { countryCode, type FindCountry, unknownCountry } from './find-country.js';
import { type AgentFacts, maxAgentLength, parseAgent } from './parse-agent.js';
import type { ReferrerFacts } from './parse-referrer.js';
import { directReferrer, isAdClick, parseReferrer, plainHost } from './parse-referrer.js';
import { RecentTexts } from './recent-texts.js';
import { scanEvidence } from './scan-evidence.js';
import { createVisitorKeys } from './visitor-keys.js';

/** What is kept of a visit: flat, of bounded length, on one line, and nothing that names a person. */
export type VisitFacts = VisitClass &
  Pick<AgentFacts, 'deviceType' | 'browser' | 'os' | 'scannerApp'> &
  Pick<ReferrerFacts, 'referrerDomain' | 'referrerType'> & {
    /** What speaks for a scan: bits of `scanEvidence`. */
    readonly evidence: number;
    /** Two capital letters, or 'Unknown'. */
    readonly country: string;
    readonly addressKey: string;
    /** Null when the visitor asks not to be followed and the operator honours that. */
    readonly visitorKey: string | null;
  };

export interface VisitRequest {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The query that the short link was visited with, with or without its question mark. */
  readonly query: string;
  /** The visitor's, as far as trusted proxies vouch for it. */
  readonly address: string;
  /** The connection comes from a trusted proxy, so that its country header counts. */
  readonly isPeerTrusted: boolean;
  /** The host, with or without a port, that the link was visited under. */
  readonly shortDomain: string;
}

export interface VisitDescriberOptions {
  readonly secretKey: string | Uint8Array;
  readonly findCountry: FindCountry;
  /** Makes no visitor key for who sends `Sec-GPC: 1` or `DNT: 1`. */
  readonly honourPrivacySignals: boolean;
  /** The header in which a trusted proxy says the country, such as `CF-IPCountry`. */
  readonly countryHeader?: string | undefined;
}

export interface VisitDescriber {
  /** Never throws, whatever the request's headers are. */
  describe(request: VisitRequest): VisitFacts;
}

// All of them full, with the longest keys that they take, hold less than 40 MB.
const maxAgents = 10_000;
const maxReferrers = 10_000;
const maxAddresses = 50_000;
const maxVisitors = 50_000;
const maxOriginLength = 300;
// An address is at most 45 characters; a forged one may be anything, and is not remembered.
const maxAddressLength = 64;
const maxIdLength = 17;

interface KnownAgent extends AgentFacts {
  /** Stands for the agent in the keys of the cache of visitors, which would hold it once more. */
  readonly id: number;
}

interface Place {
  readonly country: string;
  readonly addressKey: string;
}

/** Puts together what is kept of each visit; what repeats is read once and remembered. */
export function createVisitDescriber(options: VisitDescriberOptions): VisitDescriber {
  const { findCountry, honourPrivacySignals } = options;
  const countryHeader = options.countryHeader?.toLowerCase();
  const keys = createVisitorKeys(options.secretKey);
  let lastAgentId = 0;

  const agents = new RecentTexts<KnownAgent>(maxAgents, maxAgentLength);
  const referrers = new RecentTexts<ReferrerFacts>(maxReferrers, maxOriginLength);
  const places = new RecentTexts<Place>(maxAddresses, maxAddressLength);
  const visitors = new RecentTexts<string>(maxVisitors, maxAddressLength + maxIdLength);
  const domains = new RecentTexts<string>(maxReferrers, maxOriginLength);

  const readAgent = (userAgent: string): KnownAgent => {
    lastAgentId += 1;
    return agents.set(userAgent, { ...parseAgent(userAgent), id: lastAgentId });
  };
  const readReferrer = (referer: string): ReferrerFacts => {
    const origin = originOf(referer);
    return referrers.get(origin) ?? referrers.set(origin, parseReferrer(origin));
  };
  const readPlace = (address: string): Place =>
    places.set(address, { country: findCountry(address), addressKey: keys.addressKey(address) });
  const readDomain = (host: string): string =>
    domains.get(host) ?? domains.set(host, plainHost(host));
  const visitorKeyOf = (address: string, userAgent: string, agentId: number): string => {
    const visitor = `${agentId} ${address}`;
    return (
      visitors.get(visitor) ??
      visitors.set(visitor, keys.visitorKey(address, userAgent.slice(0, maxAgentLength)))
    );
  };

  return {
    describe({ method, headers, query, address, isPeerTrusted, shortDomain }) {
      const userAgent = headers['user-agent'] ?? '';
      const agent = agents.get(userAgent) ?? readAgent(userAgent);
      const { referer } = headers;
      const referrer = referer === undefined ? directReferrer : readReferrer(referer);
      const hasReferrer = referrer !== directReferrer;
      const place = places.get(address) ?? readPlace(address);
      const visitClass = classifyVisit(method, headers, agent);
      const site = headers['sec-fetch-site'];
      const isAnonymous =
        honourPrivacySignals && (headers['sec-gpc'] === '1' || headers.dnt === '1');
      const proxied =
        isPeerTrusted && countryHeader !== undefined
          ? countryCode(headers[countryHeader])
          : unknownCountry;
      let { referrerType } = referrer;
      if (isAdClick(query)) referrerType = 'paid';
      else if (hasReferrer && referrer.referrerDomain === readDomain(shortDomain)) {
        referrerType = 'internal';
      }
      return {
        kind: visitClass.kind,
        reason: visitClass.reason,
        country: proxied === unknownCountry ? place.country : proxied,
        deviceType: agent.deviceType,
        browser: agent.browser,
        os: agent.os,
        scannerApp: agent.scannerApp,
        evidence:
          (agent.isDedicatedScanner ? scanEvidence.dedicatedScanner : 0) |
          (agent.isInApp ? scanEvidence.inApp : 0) |
          (hasReferrer ? scanEvidence.referrer : 0) |
          (referrer.isImageSearch ? scanEvidence.imageSearch : 0) |
          (site === undefined || site === 'none' ? scanEvidence.ownNavigation : 0),
        referrerDomain: referrer.referrerDomain,
        referrerType,
        addressKey: place.addressKey,
        visitorKey: isAnonymous ? null : visitorKeyOf(address, userAgent, agent.id),
      };
    },
  };
}

/** Up to the path: what a referrer is known by, and what repeats. */
function originOf(referer: string): string {
  const path = referer.indexOf('/', referer.indexOf('//') + 2);
  return path < 0 ? referer : referer.slice(0, path);
}
