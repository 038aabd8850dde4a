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
  const { name: os } = parser.getOS();
  const device = parser.getDevice();
  const isRecognised = browser !== undefined || os !== undefined || device.model !== undefined;
  const reason = reasonOf(agent, app, isRecognised);
  const isBot = !humanReasons.has(reason);
  const isInApp = reason === 'in-app-browser';
  return {
    isBot,
    reason,
    deviceType: deviceTypeOf(device.type, os),
    browser: nameOf(browserNames, isInApp ? app?.name : browser),
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
const httpClients = /^Dart\/|\bCFNetwork\/[\d.]+ Darwin\/|^com\.apple\.WebKit\.Networking/;
const textBrowsers = /^(?:w3m|Lynx|E?Links|NetSurf|Dillo|Mozilla\/4\.0 \(compatible; Dillo)\b/;
const phoneBrowser = /^Mozilla\/\d.{0,20}\((?:iPhone|iPad|iPod|Linux|Android)/;
const browserLike = /^(?:Mozilla|Opera)\//;

function reasonOf(agent: string, app: KnownApp | undefined, isRecognised: boolean): AgentReason {
  if (agent === '') return 'empty-agent';
  if (isLinkPreviewer(agent)) return 'link-previewer';
  if (httpClients.test(agent)) return 'http-client';
  if (textBrowsers.test(agent)) return 'text-browser';
  const isInApp = app !== undefined && phoneBrowser.test(agent);
  // An app's own token must not make a bot of the people who use it; what else the agent says may.
  const rest = isInApp ? agent.replace(app.token, '') : agent;
  if (isbot(rest.replace(cubotPhone, 'phone'))) return 'isbot';
  if (!isRecognised && !browserLike.test(agent)) return 'not-a-browser';
  return isInApp ? 'in-app-browser' : 'browser';
}

// A maker of phones whose name ends like a bot's.
const cubotPhone = /\bcubot/gi;

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
  ['WebKit', 'iOS WebView'],
]);

const osNames: ReadonlyMap<string, string> = new Map([
  ['Mac OS', 'macOS'],
  ['Chromium OS', 'ChromeOS'],
  ['Chrome OS', 'ChromeOS'],
]);

function nameOf(names: ReadonlyMap<string, string>, name: string | undefined): string {
  if (name === undefined) return 'Unknown';
  return names.get(name) ?? (plainText(name, maxNameLength) || 'Unknown');
}
