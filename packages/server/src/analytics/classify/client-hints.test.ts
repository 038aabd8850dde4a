import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { applyClientHints } from './client-hints.js';
import { parseAgent } from './parse-agent.js';

const chromeOn = (system: string) =>
  parseAgent(
    `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36`,
  );
const windows = chromeOn('Windows NT 10.0; Win64; x64');
const linux = chromeOn('X11; Linux x86_64');
const hints = (brand: string, platform: string, mobile = '?0'): IncomingHttpHeaders => ({
  'sec-ch-ua': `"Chromium";v="131", "${brand}";v="131", "Not_A Brand";v="24"`,
  'sec-ch-ua-platform': `"${platform}"`,
  'sec-ch-ua-mobile': mobile,
});

describe('applyClientHints', () => {
  it.each<[string, typeof windows, IncomingHttpHeaders, string, string, string]>([
    ['no hints', windows, {}, 'Chrome', 'Windows', 'desktop'],
    ['Chrome', windows, hints('Google Chrome', 'Windows'), 'Chrome', 'Windows', 'desktop'],
    ['Brave', windows, hints('Brave', 'Windows'), 'Brave', 'Windows', 'desktop'],
    ['Vivaldi', linux, hints('Vivaldi', 'Linux'), 'Vivaldi', 'Linux', 'desktop'],
    ['ChromeOS', linux, hints('Google Chrome', 'Chrome OS'), 'Chrome', 'ChromeOS', 'desktop'],
    ['a phone', linux, hints('Google Chrome', 'Android', '?1'), 'Chrome', 'Android', 'mobile'],
    ['a tablet', linux, hints('Google Chrome', 'Android'), 'Chrome', 'Android', 'tablet'],
    ['unknown names', windows, hints('x', 'x', 'x'), 'Chrome', 'Windows', 'desktop'],
  ])('%s', (_what, agent, headers, browser, os, deviceType) => {
    expect(applyClientHints(agent, headers)).toMatchObject({ browser, os, deviceType });
  });

  it('leaves a browser that its user agent names', () => {
    const edge = { ...windows, browser: 'Edge' };
    expect(applyClientHints(edge, hints('Brave', 'Windows'))).toMatchObject({ browser: 'Edge' });
  });
});
