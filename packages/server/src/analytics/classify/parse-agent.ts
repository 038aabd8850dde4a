import { isbot } from 'isbot';
import { UAParser } from 'ua-parser-js';
import type { DeviceType } from './device-types.js';
import { type KnownApp, knownApps } from './known-apps.js';
import { isLinkPreviewer } from './link-previewers.js';
import { plainText } from './plain-text.js';
import { isKnownProgram } from './program-agents.js';
import { isPhoneBrowser, isTelevision, withoutDevice } from './without-device.js';

export interface AgentFacts {
  readonly isBot: boolean;
  /** The rule that set `isBot`. Metrics have its names. */
  readonly reason: AgentReason;
  readonly deviceType: DeviceType;
  readonly browser: string;
  readonly os: string;
  /** The app that opened the link, if it can read QR codes. */
  readonly scannerApp: string | null;
  /** True when that app only reads QR codes. */
  readonly isDedicatedScanner: boolean;
  /** True for a browser inside another app. Its visits are mostly taps, not scans. */
  readonly isInApp: boolean;
}

const botReasons = [
  'empty-agent',
  'link-previewer',
  'program',
  'isbot',
  'http-client',
  'not-a-browser',
] as const;
type HumanReason = 'in-app-browser' | 'text-browser' | 'browser';
export type AgentReason = (typeof botReasons)[number] | HumanReason;

// Real user agents have fewer than 600 characters. The limit bounds the time of the regular expressions.
export const maxAgentLength = 1024;
const maxNameLength = 64;

/** Parses the first 1,024 characters of a user agent. Never throws. */
export function parseAgent(userAgent: string): AgentFacts {
  const agent = userAgent.slice(0, maxAgentLength).trim();
  const app = knownApps.find(({ token }) => token.test(agent));
  const parser = new UAParser(agent);
  const { name: browser } = parser.getBrowser();
  const os = systemOf(parser.getOS().name, agent);
  const device = parser.getDevice();
  const reason = reasonOf(agent, app, browser !== undefined);
  const isBot = botReasons.some((each) => each === reason);
  const isInApp = reason === 'in-app-browser';
  return {
    isBot,
    reason,
    deviceType: deviceTypeOf(agent, device.type, os),
    browser: browserOf(isInApp ? app?.name : browser, os),
    os: nameOf(osNames, os),
    scannerApp: app && app.scanner !== 'none' ? app.name : null,
    isDedicatedScanner: app?.scanner === 'dedicated',
    isInApp,
  };
}

// HTTP clients that isbot does not know.
const httpClients =
  /^(?:Dart|Dalvik)\/|\bCFNetwork\/[\d.]+ Darwin\/|^com\.apple\.WebKit\.Networking/;
const textBrowsers = /^(?:w3m|Lynx|E?Links|NetSurf|Dillo|Mozilla\/4\.0 \(compatible; Dillo)\b/;
const browserLike = /^(?:Mozilla|Opera|HbbTV)\//i;
// Feature phones. Their user agents begin with the name of the manufacturer.
const oldPhone = /\b(?:MIDP|UP\.Browser|Opera Mini)\b/;
// Programs that imitate a browser. A browser sends no token between its system and its engine, and
// no token without a version before `Chrome/`, except that older Brave and Kiwi did.
const imitators =
  /^Mozilla\/5\.0 \([^()]*\) [\w.-]+\/[\d.]+ AppleWebKit\/|like Gecko\) (?!(?:Brave|Kiwi) )[\w.-]+ Chrome\//;

function reasonOf(agent: string, app: KnownApp | undefined, hasBrowser: boolean): AgentReason {
  if (agent === '') return 'empty-agent';
  if (isLinkPreviewer(agent)) return 'link-previewer';
  if (isKnownProgram(agent)) return 'program';
  if (httpClients.test(agent)) return 'http-client';
  if (textBrowsers.test(agent)) return 'text-browser';
  const isInApp = app !== undefined && isPhoneBrowser(agent);
  if (isbot(agent) && isbot(withoutDevice(agent, app))) return 'isbot';
  // A user agent that begins with an app's name is not a browser inside that app.
  const isProgram = !browserLike.test(agent) && !oldPhone.test(agent) && (!hasBrowser || app);
  if (isProgram || imitators.test(agent)) return 'not-a-browser';
  return isInApp ? 'in-app-browser' : 'browser';
}

const desktopSystems =
  /^(?:Windows|Mac OS|Linux|Chrom(?:e|ium) OS|Ubuntu|Debian|Fedora|Arch|CentOS|RedHat|SUSE|Mint|Gentoo|\w*BSD|Solaris|Haiku|BeOS|OS\/2|Amiga|Unix|AIX|HP-UX|GNU|Mandriva|Mageia|Manjaro|Slackware|elementary|Kubuntu|Xubuntu|Lubuntu|Deepin|Raspbian|PCLinuxOS|Zenwalk|Sabayon|VectorLinux|Linpus|Joli)/i;

const consoles = /\b(?:Xbox|PlayStation|Nintendo)\b/i;

function deviceTypeOf(
  agent: string,
  parsedType: string | undefined,
  os: string | undefined,
): DeviceType {
  if (consoles.test(agent) || parsedType === 'console') return 'console';
  if (isTelevision(agent) || parsedType === 'smarttv') return 'tv';
  const type = parsedType ?? (oldPhone.test(agent) ? 'mobile' : undefined);
  if (type === 'mobile' || type === 'tablet') return type;
  if (type !== undefined || os === undefined) return 'other';
  return desktopSystems.test(os) && !/^Windows (?:Phone|Mobile)/.test(os) ? 'desktop' : 'other';
}

// ua-parser-js reports iOS for an Opera Mini that sends no operating system.
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

/** Common names in place of those of the user agent parser. */
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
