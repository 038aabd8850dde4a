import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVisitorKeys } from '../visitor-keys.js';
import { scanEvidence } from './decide-scan.js';
import {
  createVisitDescriber,
  type VisitDescriberOptions,
  type VisitFacts,
  type VisitRequest,
} from './describe-visit.js';

const keys = createVisitorKeys('a secret of the tests');
const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.5 Mobile/15E148 Safari/604.1';
const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
const weChat =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.40(0x18002831) NetType/WIFI';

const describer = (options: Partial<VisitDescriberOptions> = {}) =>
  createVisitDescriber({
    visitorKeys: keys,
    findPlace: (address) => ({
      country: address === '192.0.2.1' ? 'NL' : 'Unknown',
      region: null,
      city: null,
    }),
    honourPrivacySignals: false,
    countryHeader: 'CF-IPCountry',
    ...options,
  });

const request = (
  headers: IncomingHttpHeaders = {},
  rest: Partial<VisitRequest> = {},
): VisitRequest => ({
  visitedAt: 0,
  method: 'GET',
  headers: { host: 'short.example', 'user-agent': chrome, ...headers },
  query: '',
  address: '192.0.2.1',
  isPeerTrusted: false,
  shortDomain: 'short.example',
  ...rest,
});

const describeOne = (
  headers?: IncomingHttpHeaders,
  rest?: Partial<VisitRequest>,
  options?: Partial<VisitDescriberOptions>,
): VisitFacts => describer(options)(request(headers, rest));

describe('a visit', () => {
  it('has all facts, but neither the address nor the user agent', () => {
    const facts = describeOne({ referer: 'https://www.google.com/' });
    expect(JSON.stringify(facts)).not.toMatch(/192\.0\.2\.1|Mozilla/);
    expect(facts).toMatchObject({
      kind: 'human',
      reason: 'browser',
      country: 'NL',
      deviceType: 'desktop',
      browser: 'Chrome',
      os: 'Windows',
      scannerApp: null,
      referrerDomain: 'google.com',
      referrerType: 'search',
      addressKey: keys.addressKey('192.0.2.1'),
      visitorKey: keys.visitorKey('192.0.2.1', chrome),
      language: null,
      campaign: null,
    });
  });
});

const { referrer, imageSearch, ownNavigation } = scanEvidence;

it.each<[string, IncomingHttpHeaders, number]>([
  ['a camera', { 'user-agent': iPhone }, ownNavigation],
  ['a page that hides', { 'sec-fetch-site': 'cross-site' }, 0],
  ['a page', { referer: 'https://example.com/', 'sec-fetch-site': 'cross-site' }, referrer],
  ['Lens', { referer: 'https://lens.google.com/' }, referrer | imageSearch | ownNavigation],
])('the evidence of a scan of %s', (_what, headers, evidence) => {
  expect(describeOne(headers).evidence).toBe(evidence);
});

it.each<[string, string, string | undefined, string]>([
  ['internal', 'short.example', 'https://short.example/x', ''],
  ['other', 'b.example', 'https://b.example/', ''],
  ['paid', 'google.com', 'https://www.google.com/', '?gclid=x'],
  ['paid', '(direct)', undefined, 'utm_source=x&msclkid=y'],
  ['paid', 'short.example', 'https://short.example/x?gclid=y', ''],
])('the referrer is %s, %s: %s, query %s', (referrerType, referrerDomain, referer, query) => {
  const facts = describeOne({ referer }, { query, shortDomain: 'SHORT.example:8080' });
  expect(facts).toMatchObject({ referrerDomain, referrerType });
});

describe("the proxy's country header", () => {
  it.each<[string, string, boolean, string | undefined, string]>([
    ['of a trusted peer wins', 'DE', true, 'CF-IPCountry', 'DE'],
    ['of an untrusted peer is ignored', 'DE', false, 'CF-IPCountry', 'NL'],
    ['that is not asked for is nothing', 'DE', true, undefined, 'NL'],
    ['that knows none leaves it to the database', 'XX', true, 'CF-IPCountry', 'NL'],
    ['of no two letters leaves it to the database', 'DEU', true, 'CF-IPCountry', 'NL'],
  ])('%s', (_what, code, isPeerTrusted, countryHeader, country) => {
    const again = describer({ countryHeader });
    expect(again(request({ 'cf-ipcountry': code }, { isPeerTrusted })).country).toBe(country);
    expect(again(request({}, { isPeerTrusted })).country).toBe('NL');
  });

  it('of another country than the address hides the region and the city', () => {
    const place = { country: 'NL', region: 'NL-NH', city: 'Amsterdam' };
    const again = describer({ findPlace: () => place });
    const placeWith = (code: string) =>
      again(request({ 'cf-ipcountry': code }, { isPeerTrusted: true }));
    expect(placeWith('NL')).toMatchObject(place);
    expect(placeWith('XX')).toMatchObject(place);
    expect(placeWith('DE')).toMatchObject({ country: 'DE', region: null, city: null });
  });
});

it.each<[string, IncomingHttpHeaders, boolean, boolean]>([
  ['Sec-GPC that is honoured', { 'sec-gpc': '1' }, true, true],
  ['DNT that is honoured', { dnt: '1' }, true, true],
  ['Sec-GPC that is not', { 'sec-gpc': '1' }, false, false],
  ['neither', {}, true, false],
])('privacy signals %s', (_what, headers, honourPrivacySignals, isAnonymous) => {
  const again = describer({ honourPrivacySignals });
  const before = again(request());
  const facts = again(request(headers));
  expect(facts).toEqual(isAnonymous ? { ...before, visitorKey: null } : before);
  expect(again(request())).toEqual(before);
});

describe('a hostile request', () => {
  const bytes = fc.uint8Array({ maxLength: 400 }).map((raw) => Buffer.from(raw).toString('latin1'));
  const value = fc.oneof(
    bytes,
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      ...[chrome, iPhone, weChat, 'prefetch', '1', 'none', 'DE', 'https://', 'https://a/'],
    ),
    fc
      .tuple(fc.constantFrom(chrome, 'https://', 'android-app://'), bytes)
      .map((two) => two.join('')),
  );
  const names = [
    ...(['user-agent', 'referer', 'sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const),
    ...(['sec-fetch-site', 'sec-fetch-dest', 'sec-fetch-mode', 'sec-ch-ua'] as const),
    ...(['sec-ch-ua-mobile', 'sec-ch-ua-platform', 'signature-agent'] as const),
    ...(['accept-language', 'sec-gpc', 'dnt', 'cf-ipcountry', 'host'] as const),
  ] as const;
  const anyHeaders = fc.dictionary(fc.constantFrom(...names), fc.option(value, { nil: undefined }));

  it('never makes it throw, and each text is one bounded line', () => {
    const shared = describer({ honourPrivacySignals: true });
    fc.assert(
      fc.property(
        anyHeaders,
        value,
        value,
        value,
        fc.boolean(),
        (headers, utm, address, shortDomain, isPeerTrusted) => {
          const query = `?utm_source=${utm}`;
          const rest = { query, address, isPeerTrusted, shortDomain };
          const visit: VisitRequest = { visitedAt: 0, method: 'GET', headers, ...rest };
          const facts = shared(visit);
          for (const text of textsOf(facts)) {
            expect(text).toMatch(/^[^\p{Cc}\u2028\u2029]{1,253}$/u);
            expect(text.isWellFormed()).toBe(true);
          }
          for (const name of [facts.browser, facts.os]) {
            expect(name.length).toBeLessThanOrEqual(64);
          }
          expect(facts.country).toMatch(/^(?:[A-Z]{2}|Unknown)$/);
          expect(facts.addressKey).toMatch(/^[\w-]{16}$/);
          expect(facts.visitorKey ?? facts.addressKey).toMatch(/^[\w-]{16}$/);
          expect(shared(visit)).toEqual(facts);
          expect(describer({ honourPrivacySignals: true })(visit)).toEqual(facts);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

function textsOf(facts: VisitFacts): string[] {
  const { campaign, ...rest } = facts;
  const all = Object.values({ ...rest, ...campaign });
  return all.filter((fact) => typeof fact === 'string');
}
