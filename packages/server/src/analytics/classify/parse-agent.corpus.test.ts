import crawlers from 'crawler-user-agents';
import topBrowsers from 'top-user-agents';
import UserAgent from 'user-agents';
import { describe, expect, it } from 'vitest';
import { parseAgent } from './parse-agent.js';

// Agents that others have collected. The rules are not written from them, and no rule may name one.

/** Entries that are no crawlers, each with the proof. */
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

  it('leaves out what is there, and little', () => {
    expect(crawlers.length - entries.length).toBe(mislabelled.size);
    expect(entries.length).toBeGreaterThan(1400);
  });

  it('are counted as people in at most 0.5 % of their agents', () => {
    const agents = [...new Set(entries.flatMap(({ instances }) => instances))];
    expect(agents.length).toBeGreaterThan(2000);
    const rate = report('Crawlers counted', agents.filter(isCounted), agents.length);
    expect(rate).toBeLessThanOrEqual(0.005);
  });

  it('are counted as people, at any of their agents, in at most 0.5 % of the crawlers', () => {
    const known = entries.filter(({ instances }) => instances.length > 0);
    const counted = known.filter(({ instances }) => instances.some(isCounted));
    const names = counted.map(({ pattern }) => pattern);
    expect(report('Crawlers with an agent counted', names, known.length)).toBeLessThanOrEqual(
      0.005,
    );
  });
});

describe('browsers are refused in at most 0.5 % of the agents', () => {
  it.each([
    ['user-agents', UserAgent.top(100_000).map(({ userAgent }) => userAgent), 500],
    ['top-user-agents', topBrowsers, 50],
  ])('of %s', (name, list, least) => {
    const agents = [...new Set(list)];
    expect(agents.length).toBeGreaterThanOrEqual(least);
    const rate = report(`Browsers of ${name} refused`, agents.filter(isRefused), agents.length);
    expect(rate).toBeLessThanOrEqual(0.005);
  });

  it('and none of them has an unknown browser or system more often than 0.5 %', () => {
    const agents = [...new Set(UserAgent.top(100_000).map(({ userAgent }) => userAgent))];
    const unknown = agents.filter((agent) => {
      const { browser, os, deviceType } = parseAgent(agent);
      return browser === 'Unknown' || os === 'Unknown' || deviceType === 'other';
    });
    expect(report('Browsers not told', unknown, agents.length)).toBeLessThanOrEqual(0.005);
  });
});
