import { createRequire } from 'node:module';
import crawlers from 'crawler-user-agents';
import topBrowsers from 'top-user-agents';
import UserAgent from 'user-agents';
import { describe, expect, it } from 'vitest';
import { parseAgent } from './parse-agent.js';

// Public collections of user agents.

/** Entries that are not crawlers, each with the proof. */
const mislabelled = new Map([
  [
    'MetaIAB Facebook',
    "the mark of Facebook's own browser on Android; the list's one agent is a phone's web view with it",
  ],
  ['Fluid', 'an app that makes a browser for one site on macOS'],
  [
    'AP3A\\.240617\\.008',
    "the number of a public build of Android 15, which every phone with it sends; the list's one agent is Instagram's own browser on such a phone",
  ],
]);

/** Fails, with the misses, if they are more than a share of all. */
function expectAtMost(share: number, misses: readonly string[], of: number): void {
  expect(misses.length / of, misses.join('\n')).toBeLessThanOrEqual(share);
}

const isRefused = (agent: string) => parseAgent(agent).isBot;
const isCounted = (agent: string) => !isRefused(agent);

describe('crawlers of crawler-user-agents', () => {
  const entries = crawlers.filter(({ pattern }) => !mislabelled.has(pattern));

  it('excludes few entries, and only existing ones', () => {
    expect(crawlers.length - entries.length).toBe(mislabelled.size);
    expect(entries.length).toBeGreaterThan(1400);
  });

  it('count as people, by any of their user agents, in at most 0.1 % of the crawlers', () => {
    const known = entries.filter(({ instances }) => instances.length > 0);
    const counted = known.filter(({ instances }) => instances.some(isCounted));
    const names = counted.map(({ pattern }) => pattern);
    expectAtMost(0.001, names, known.length);
  });
});

const require = createRequire(import.meta.url);

/** User agents of pages. Others are apps' and players' own requests, which show no page. */
const isPage = (agent: string) => /^(?:Mozilla|Opera|HbbTV)\//.test(agent);

/** Entries of browsers that no browser sends, each with the proof. */
const notBrowsers: readonly (readonly [RegExp, string])[] = [
  [/HeadlessChrome|PhantomJS/, 'a browser without a screen, which programs control'],
  [/ not Chrome\//, 'a test of the parser'],
  [/FirePHP/, "a mark of a developer's extension for Firefox, here on a phone that has no Firefox"],
  [/Konqueror\/3\.3; Linux 2\.6\.8-gentoo-r3; X11;$/, 'the list has half of the user agent'],
];
const isBrowser = (agent: string) =>
  isPage(agent) && !notBrowsers.some(([pattern]) => pattern.test(agent));

/** Phones, tablets, televisions, consoles and browsers in the tests of ua-parser-js. */
const fixtures = ['browser', 'device', 'os', 'engine'].flatMap((name) => {
  const list: { ua?: string }[] = require(`ua-parser-js-fixtures/test/${name}-test.json`);
  return list.flatMap(({ ua }) => ua ?? []);
});

/** A list that sorts user agents into folders. */
const sorted: {
  folder: string;
  userAgent: string;
}[] = require('random-useragent/useragent-data.json');
const inFolder = (pattern: RegExp) =>
  sorted.filter(({ folder }) => pattern.test(folder)).map(({ userAgent }) => userAgent);

describe('at most 0.1 % of the browsers count as bots', () => {
  it.each([
    ['user-agents', UserAgent.top(100_000).map(({ userAgent }) => userAgent), 500],
    ['top-user-agents', topBrowsers, 50],
    ['ua-parser-js', fixtures, 200],
    [
      'random-useragent',
      inFolder(/^\/(?:Browsers|Mobile Devices|Miscellaneous\/(?:Browsers|Game))/),
      400,
    ],
  ])('of %s', (_, list, least) => {
    const agents = [...new Set(list)].filter(isBrowser);
    expect(agents.length).toBeGreaterThanOrEqual(least);
    expectAtMost(0.001, agents.filter(isRefused), agents.length);
  });

  it('at most 0.5 % have an unknown browser or operating system', () => {
    const agents = [...new Set(UserAgent.top(100_000).map(({ userAgent }) => userAgent))];
    const unknown = agents.filter((agent) => {
      const { browser, os, deviceType } = parseAgent(agent);
      return browser === 'Unknown' || os === 'Unknown' || deviceType === 'other';
    });
    expectAtMost(0.005, unknown, agents.length);
  });
});

it('at most 0.1 % of the browsers of user-agents have another kind of device', () => {
  // The types of the package lack the category.
  const browsers = UserAgent.top(100_000) as { userAgent: string; deviceCategory?: string }[];
  const categories = new Map(
    browsers.map(({ userAgent, deviceCategory }) => [userAgent, deviceCategory]),
  );
  const other = [...categories].flatMap(([agent, category]) =>
    parseAgent(agent).deviceType === category ? [] : [`${category}: ${agent}`],
  );
  expectAtMost(0.001, other, categories.size);
});
