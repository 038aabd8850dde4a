import { list as isbotPatterns } from 'isbot';
import { describe, expect, it } from 'vitest';
import { type AgentFacts, type AgentReason, parseAgent } from './parse-agent.js';

const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const webView =
  'Mozilla/5.0 (Linux; Android 13; SM-S911B Build/TP1A.220624.014; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.6099.144 Mobile Safari/537.36';
const android = (model: string) =>
  `Mozilla/5.0 (Linux; Android 10; ${model}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0.4844.88 Mobile Safari/537.36`;
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';
const blink = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('a browser', () => {
  it.each<[string, AgentFacts['deviceType'], string, string]>([
    [`${windows} ${blink} Chrome/131.0.0.0 Safari/537.36`, 'desktop', 'Windows', 'Chrome'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
      'desktop',
      'macOS',
      'Safari',
    ],
    [`${iPhone} Version/16.5 Mobile/15E148 Safari/604.1`, 'mobile', 'iOS', 'Safari'],
    [`${iPhone} Mobile/15E148`, 'mobile', 'iOS', 'iOS WebView'],
    [
      'Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
      'tablet',
      'iOS',
      'Safari',
    ],
    [webView, 'mobile', 'Android', 'Android WebView'],
    [android('K'), 'mobile', 'Android', 'Chrome'],
    [
      'Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5',
      'mobile',
      'KAIOS',
      'Firefox',
    ],
  ])('%s', (agent, deviceType, os, browser) => {
    expect(parseAgent(agent)).toEqual({
      isBot: false,
      reason: 'browser',
      deviceType,
      os,
      browser,
      scannerApp: null,
      isDedicatedScanner: false,
      isInApp: false,
    });
  });

  it.each(['Lynx/2.8.9rel.1 libwww-FM/2.14', 'w3m/0.5.3+git20230121', 'Links (2.29; Linux; x)'])(
    'of text: %s',
    (agent) => {
      expect(parseAgent(agent)).toMatchObject({ isBot: false, reason: 'text-browser' });
    },
  );
});

describe("an app's own browser counts as a person", () => {
  it.each<[string, string]>([
    ['Facebook', `${iPhone} Mobile/15E148 [FBAN/FBIOS;FBAV/430.0.0.27.106;FBDV/iPhone14,2]`],
    ['Instagram', `${iPhone} Mobile/15E148 Instagram 300.0.0.14.109 (iPhone14,2; iOS 16_5)`],
    ['X', `${iPhone} Mobile/15E148 Twitter for iPhone/10.2`],
    ['Telegram', `${webView} Telegram-Android/10.2.9 (Samsung SM-S911B; Android 13; SDK 33; HIGH)`],
  ])('and reads no QR codes: %s, %s', (browser, agent) => {
    expect(parseAgent(agent)).toMatchObject({
      isBot: false,
      reason: 'in-app-browser',
      deviceType: 'mobile',
      browser,
      scannerApp: null,
      isDedicatedScanner: false,
      isInApp: true,
    });
  });

  it.each<[string, string, boolean]>([
    ['WeChat', `${iPhone} Mobile/15E148 MicroMessenger/8.0.40(0x18002831) NetType/WIFI`, false],
    ['LINE', `${iPhone} Mobile/15E148 Safari Line/13.11.0`, false],
    ['Google app', `${iPhone} GSA/270.0.538799000 Mobile/15E148 Safari/604.1`, false],
    ['Kaspersky QR Scanner', `${webView} Kaspersky QR Scanner`, true],
    ['QR scanner', `${webView} QR Code Reader/5.1`, true],
  ])('and reads QR codes: %s, %s', (scannerApp, agent, isDedicatedScanner) => {
    expect(parseAgent(agent)).toMatchObject({
      isBot: false,
      reason: 'in-app-browser',
      browser: scannerApp,
      scannerApp,
      isDedicatedScanner,
      isInApp: true,
    });
  });
});

describe('a browser whose device or app has the name of a program', () => {
  it.each<[string, AgentFacts['deviceType'], string]>([
    [
      'Google TV',
      'tv',
      `Mozilla/5.0 (Linux; Android 12.0; Build/STTL.240508.005) ${blink} Chrome/124.0.6367.82 Safari/537.36 CrKey/1.56.500000 DeviceType/GoogleTV`,
    ],
    ['HbbTV', 'tv', 'HbbTV/1.1.1 (;;;;) Mozilla/5.0 (compatible; ANTGalio/3.0.2.1.22.43.08)'],
    [
      'a console',
      'console',
      'Mozilla/5.0 (PlayStation; PlayStation 5/5.50) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15',
    ],
  ])('counts as a person: %s on a %s, %s', (_what, deviceType, agent) => {
    expect(parseAgent(agent)).toMatchObject({ isBot: false, deviceType });
  });

  it('counts as a person for each word by which isbot knows programs', () => {
    const words = isbotPatterns.flatMap((pattern) => /^[a-z]{4,}$/.exec(pattern) ?? []);
    expect(words.length).toBeGreaterThan(60);
    for (const word of [...words, 'bot', 'Spider', 'Crawler']) {
      for (const model of [
        word,
        `${word} 5`,
        `Super ${word.toUpperCase()} Build/TP1A.220624.014`,
      ]) {
        expect(parseAgent(android(model)), model).toMatchObject({ isBot: false });
      }
    }
  });
});

it.each<[AgentReason, string]>([
  ['empty-agent', ''],
  ['isbot', 'Mozilla/5.0'],
  ['isbot', `${android('K')} (compatible; Google-Safety)`],
  ['isbot', 'Mozilla/5.0 (iPhone; Y!J-BRY/YATSH crawler; http://help.yahoo.co.jp/indexing.html)'],
  ['program', 'Mozilla/5.0 (Linux; Ubuntu 22.04.3 LTS; en-US) PowerShell/7.4.1'],
  ...['OneTrust', 'Checkly/1.0', 'Qualys', 'VirusTotal'].map((name): [AgentReason, string] => [
    'program',
    `${windows} ${blink} Chrome/120.0.0.0 Safari/537.36 ${name}`,
  ]),
  ['isbot', `${webView} Instagram 300.1.0.23.111 (compatible; somebot/1.0)`],
  ['http-client', 'MyApp/17 CFNetwork/1410.0.3 Darwin/22.6.0'],
  ['http-client', 'Dalvik/2.1.0 (Linux; U; Android 13; Pixel 7 Build/TQ3A.230805.001)'],
  ['not-a-browser', 'MyApp/3.2 (iPhone; iOS 17.0; Scale/3.00)'],
  ['not-a-browser', 'Instagram 300.1.0.23.111 Android (33/13; 480dpi; samsung; SM-S911B)'],
  ['link-previewer', 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'],
  ['link-previewer', 'WhatsApp/2.23.20.0 A'],
  [
    'link-previewer',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 11.6; rv:92.0) Gecko/20100101 Firefox/92.0',
  ],
])('a bot is %s: %s', (reason, agent) => {
  expect(parseAgent(agent)).toMatchObject({ isBot: true, reason, isInApp: false });
});
