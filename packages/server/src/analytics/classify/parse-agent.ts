import { isbot } from 'isbot';
import { UAParser } from 'ua-parser-js';
import { type KnownApp, knownApps } from './known-apps.js';
import { isLinkPreviewer } from './link-previewers.js';
import { plainText } from './plain-text.js';

export type DeviceType = 'desktop' | 'mobile' | 'tablet' | 'other';

/** What a user agent says about whoever sent it. */
export interface AgentFacts {
  readonly isBot: boolean;
  /** The rule that decided: stable words, kept with each visit. */
  readonly reason: AgentReason;
  readonly deviceType: DeviceType;
  /** At most 64 characters, 'Unknown' where nothing is known; so is `os`. */
  readonly browser: string;
  readonly os: string;
  /** The app that can read QR codes and has opened the link itself. */
  readonly scannerApp: string | null;
  /** That app is for nothing but reading codes. */
  readonly isDedicatedScanner: boolean;
  /** Opened within another app, whose links are mostly tapped and not scanned. */
  readonly isInApp: boolean;
}

export type AgentReason =
  | 'empty-agent'
  | 'link-previewer'
  | 'isbot'
  | 'http-client'
  | 'not-a-browser'
  | 'in-app-browser'
  | 'text-browser'
  | 'browser';

// Real agents are below 600 characters. The rest is never looked at: it can only be padding, and
// the time that patterns take stays bounded.
export const maxAgentLength = 1024;
const maxNameLength = 64;

/** Reads a user agent; never throws, whatever was sent, in a time that does not grow with it. */
export function parseAgent(userAgent: string): AgentFacts {
  const agent = userAgent.slice(0, maxAgentLength).trim();
  const app = knownApps.find(({ token }) => token.test(agent));
  const parser = new UAParser(agent);
  const { name: browser } = parser.getBrowser();
  const os = systemOf(parser.getOS().name, agent);
  const device = parser.getDevice();
  const reason = reasonOf(agent, app, browser !== undefined);
  const isBot = !humanReasons.has(reason);
  const isInApp = reason === 'in-app-browser';
  return {
    isBot,
    reason,
    deviceType: deviceTypeOf(device.type ?? (oldPhone.test(agent) ? 'mobile' : undefined), os),
    browser: browserOf(isInApp ? app?.name : browser, os),
    os: nameOf(osNames, os),
    scannerApp: app && app.scanner !== 'none' ? app.name : null,
    isDedicatedScanner: app?.scanner === 'dedicated',
    isInApp,
  };
}

const humanReasons: ReadonlySet<AgentReason> = new Set([
  'in-app-browser',
  'text-browser',
  'browser',
]);

// Programs' own ways to fetch, which the list of bots does not know.
const httpClients =
  /^(?:Dart|Dalvik)\/|\bCFNetwork\/[\d.]+ Darwin\/|^com\.apple\.WebKit\.Networking/;
const textBrowsers = /^(?:w3m|Lynx|E?Links|NetSurf|Dillo|Mozilla\/4\.0 \(compatible; Dillo)\b/;
const phoneBrowser = /^Mozilla\/\d.{0,20}\((?:iPhone|iPad|iPod|Linux|Android)/;
const browserLike = /^(?:Mozilla|Opera)\//;
// Phones from before the smart ones name their make first, and then what they can run.
const oldPhone = /\b(?:MIDP|UP\.Browser|Opera Mini)\b/;
// No browser names anything between its system and its engine, nor a bare word before Chrome.
const disguised =
  /^Mozilla\/5\.0 \([^()]*\) [\w.-]+\/[\d.]+ AppleWebKit\/|like Gecko\) [\w.-]+ Chrome\//;

function reasonOf(agent: string, app: KnownApp | undefined, hasBrowser: boolean): AgentReason {
  if (agent === '') return 'empty-agent';
  if (isLinkPreviewer(agent)) return 'link-previewer';
  if (httpClients.test(agent)) return 'http-client';
  if (textBrowsers.test(agent)) return 'text-browser';
  const isOnPhone = phoneBrowser.test(agent);
  const isInApp = app !== undefined && isOnPhone;
  // An app's own token must not make a bot of the people who use it; what else the agent says may.
  let rest = isInApp ? agent.replace(app.token, '') : agent;
  if (isOnPhone) rest = rest.replace(newsApp, '');
  if (isbot(rest.replace(cubotPhone, 'phone'))) return 'isbot';
  // An app that names itself before any browser has fetched with means of its own.
  const isProgram = !browserLike.test(agent) && !oldPhone.test(agent) && (!hasBrowser || app);
  if (isProgram || disguised.test(agent)) return 'not-a-browser';
  return isInApp ? 'in-app-browser' : 'browser';
}

// A maker of phones whose name ends like a bot's.
const cubotPhone = /\bcubot/gi;

// Apps for reading news on a phone, which the list takes for collectors of news.
const newsApp = /\b(?!\w*(?:bot|crawl|spider))[a-z]*news[a-z]*\/[\d.]+/gi;

const desktopSystems =
  /^(?:Windows|Mac OS|Linux|Chrom(?:e|ium) OS|Ubuntu|Debian|Fedora|Arch|CentOS|RedHat|SUSE|Mint|Gentoo|\w*BSD|Solaris|Haiku|BeOS|OS\/2|Amiga|Unix|AIX|HP-UX|GNU|Mandriva|Mageia|Manjaro|Slackware|elementary|Kubuntu|Xubuntu|Lubuntu|Deepin|Raspbian|PCLinuxOS|Zenwalk|Sabayon|VectorLinux|Linpus|Joli)/i;

function deviceTypeOf(type: string | undefined, os: string | undefined): DeviceType {
  if (type === 'mobile' || type === 'tablet') return type;
  if (type !== undefined || os === undefined) return 'other';
  return desktopSystems.test(os) && !/^Windows (?:Phone|Mobile)/.test(os) ? 'desktop' : 'other';
}

// The parser's names where people know another one.
const browserNames: ReadonlyMap<string, string> = new Map([
  ['Mobile Safari', 'Safari'],
  ['Chrome WebView', 'Android WebView'],
  ['IE', 'Internet Explorer'],
  ['IEMobile', 'Internet Explorer'],
  ['Line', 'LINE'],
  ['KAKAOTALK', 'KakaoTalk'],
  ['GSA', 'Google app'],
  ['Opera Mobi', 'Opera'],
  ['Opera Touch', 'Opera'],
]);

const osNames: ReadonlyMap<string, string> = new Map([
  ['Mac OS', 'macOS'],
  ['Chromium OS', 'ChromeOS'],
  ['Chrome OS', 'ChromeOS'],
]);

// The parser takes every Opera Mini that names no system for one on iOS.
function systemOf(os: string | undefined, agent: string): string | undefined {
  return os === 'iOS' && /^Opera\/.+(?:J2ME|MIDP)/.test(agent) ? undefined : os;
}

function browserOf(browser: string | undefined, os: string | undefined): string {
  return browser === 'WebKit' && os === 'iOS' ? 'iOS WebView' : nameOf(browserNames, browser);
}

function nameOf(names: ReadonlyMap<string, string>, name: string | undefined): string {
  if (name === undefined) return 'Unknown';
  return names.get(name) ?? (plainText(name, maxNameLength) || 'Unknown');
}
