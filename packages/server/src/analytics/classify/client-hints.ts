import type { IncomingHttpHeaders } from 'node:http';
import type { AgentFacts } from './parse-agent.js';

type HintedFacts = Pick<AgentFacts, 'deviceType' | 'browser' | 'os'>;

/** A brand list of a program, such as `"HeadlessChrome";v="131"`. */
const headlessBrand = /"HeadlessChrome"/i;

// Brands of browsers whose user agent is that of Chrome, and their common names.
const brands: ReadonlyMap<string, string> = new Map([
  ['Brave', 'Brave'],
  ['Microsoft Edge', 'Edge'],
  ['Opera', 'Opera'],
  ['Opera GX', 'Opera GX'],
  ['Vivaldi', 'Vivaldi'],
  ['YaBrowser', 'Yandex'],
  ['Yandex', 'Yandex'],
  ['Samsung Internet', 'Samsung Browser'],
  ['DuckDuckGo', 'DuckDuckGo'],
  ['Avast Secure Browser', 'Avast Secure Browser'],
  ['AVG Secure Browser', 'AVG Secure Browser'],
  ['Whale', 'Whale'],
]);

// Linux is missing, because user agents name the distribution.
const platforms: ReadonlyMap<string, string> = new Map([
  ['"Windows"', 'Windows'],
  ['"macOS"', 'macOS'],
  ['"Android"', 'Android'],
  ['"iOS"', 'iOS'],
  ['"Chrome OS"', 'ChromeOS'],
  ['"Chromium OS"', 'ChromeOS'],
]);

const maxListLength = 512;

/** Returns whether the client hints of a request name a browser that runs without a screen. */
export function isHeadless(headers: IncomingHttpHeaders): boolean {
  const list = headers['sec-ch-ua'];
  return list !== undefined && headlessBrand.test(String(list).slice(0, maxListLength));
}

/** Corrects facts of a user agent by the client hints, which say more than Chrome's user agent. */
export function applyClientHints(facts: HintedFacts, headers: IncomingHttpHeaders): HintedFacts {
  const list = headers['sec-ch-ua'];
  // Browsers that send hints send the list of brands with each request.
  if (list === undefined) return facts;
  const browser = facts.browser === 'Chrome' ? brandOf(String(list)) : undefined;
  const platform = headers['sec-ch-ua-platform'];
  const os = typeof platform === 'string' ? platforms.get(platform) : undefined;
  const isPhone = headers['sec-ch-ua-mobile'] === '?1';
  // A phone or tablet that asks for the desktop's page sends the user agent of a desktop.
  const isHidden = facts.deviceType === 'desktop' && (isPhone || os === 'Android');
  return {
    browser: browser ?? facts.browser,
    os: os ?? facts.os,
    deviceType: isHidden ? (isPhone ? 'mobile' : 'tablet') : facts.deviceType,
  };
}

function brandOf(list: string): string | undefined {
  for (const [, brand = ''] of list.slice(0, maxListLength).matchAll(/"([^"]+)";v=/g)) {
    const name = brands.get(brand);
    if (name !== undefined) return name;
  }
  return undefined;
}
