import crawlers from 'crawler-user-agents';
import topBrowsers from 'top-user-agents';
import UserAgent from 'user-agents';
import { describe, expect, it } from 'vitest';
import { parseAgent } from './parse-agent.js';

// Public collections of user agents. No rule may be written from them.

/** Entries that are not crawlers, each with the proof. */
const mislabelled = new Map([
  [
    'AP3A\\.240617\\.008',
    "the number of a public build of Android 15, which every phone with it sends; the list's one agent is Instagram's own browser on such a phone",
  ],
]);

function report(what: string, misses: readonly string[], of: number): number {
  const rate = misses.length / of;
  const percent = (100 * rate).toFixed(2);
  const lines = [`${what}: ${misses.length} of ${of} (${percent} %)`, ...misses];
  process.stdout.write(`${lines.join('\n  ')}\n`);
  return rate;
}

const isRefused = (agent: string) => parseAgent(agent).isBot;
const isCounted = (agent: string) => !isRefused(agent);

describe('crawlers of crawler-user-agents', () => {
  const entries = crawlers.filter(({ pattern }) => !mislabelled.has(pattern));

  it('excludes few entries, and only existing ones', () => {
    expect(crawlers.length - entries.length).toBe(mislabelled.size);
    expect(entries.length).toBeGreaterThan(1400);
  });

  it('count as people in at most 0.5 % of the user agents', () => {
    const agents = [...new Set(entries.flatMap(({ instances }) => instances))];
    expect(agents.length).toBeGreaterThan(2000);
    const rate = report('Crawlers counted', agents.filter(isCounted), agents.length);
    expect(rate).toBeLessThanOrEqual(0.005);
  });

  it('count as people, by any of their user agents, in at most 0.5 % of the crawlers', () => {
    const known = entries.filter(({ instances }) => instances.length > 0);
    const counted = known.filter(({ instances }) => instances.some(isCounted));
    const names = counted.map(({ pattern }) => pattern);
    expect(report('Crawlers with an agent counted', names, known.length)).toBeLessThanOrEqual(
      0.005,
    );
  });
});

describe('at most 0.5 % of the browsers count as bots', () => {
  it.each([
    ['user-agents', UserAgent.top(100_000).map(({ userAgent }) => userAgent), 500],
    ['top-user-agents', topBrowsers, 50],
  ])('of %s', (name, list, least) => {
    const agents = [...new Set(list)];
    expect(agents.length).toBeGreaterThanOrEqual(least);
    const rate = report(`Browsers of ${name} refused`, agents.filter(isRefused), agents.length);
    expect(rate).toBeLessThanOrEqual(0.005);
  });

  it('at most 0.5 % have an unknown browser or operating system', () => {
    const agents = [...new Set(UserAgent.top(100_000).map(({ userAgent }) => userAgent))];
    const unknown = agents.filter((agent) => {
      const { browser, os, deviceType } = parseAgent(agent);
      return browser === 'Unknown' || os === 'Unknown' || deviceType === 'other';
    });
    expect(report('Unknown browsers', unknown, agents.length)).toBeLessThanOrEqual(0.005);
  });
});
