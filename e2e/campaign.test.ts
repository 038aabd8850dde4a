import { writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toMmdb } from '../packages/server/test/analytics/to-mmdb.js';
import { connect } from './lib/api.js';
import { freePort, scratchFolder, shorty, startServer } from './lib/processes.js';

// A campaign as its owner runs it: a list from a spreadsheet, visitors from several countries with
// several devices, and an end.

const linkCount = 200;
const visitorCount = 5_000;
const returningCount = 500;
const machineCount = 250;
const atOnce = 40;

const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';
const agents = [
  iPhone,
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
];
const machine = 'Googlebot/2.1 (+http://www.google.com/bot.html)';
const networks = [
  { prefix: '5.5', country: 'DE' },
  { prefix: '8.8', country: 'FR' },
  { prefix: '6.6', country: 'US' },
];

interface Visitor {
  /** The number of the link. */
  readonly link: number;
  readonly address: string;
  readonly country: string;
  readonly agent: string;
}

/** Returns numbers from 0 to 1 that are the same in each run (Park and Miller). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Returns visitors with different addresses. */
function visitors(count: number): Visitor[] {
  const random = randomNumbers(20_301);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  return Array.from({ length: count }, (_, number) => {
    const { prefix, country } = pick(networks);
    return {
      link: Math.floor(random() * linkCount),
      address: `${prefix}.${number >> 8}.${number & 255}`,
      country,
      agent: pick(agents),
    };
  });
}

const target = (link: number, page: string) => `https://example.com/${link}/${page}`;

/** Returns the rule that must choose the target of a visitor. */
function ruleOf({ country, agent }: Visitor): 'german' | 'iphone' | 'pages' {
  if (country === 'DE') return 'german';
  return agent === iPhone ? 'iphone' : 'pages';
}

/** Returns the name in reports of the target to which a visit was led; undefined for a wrong one. */
function variantOf(visitor: Visitor, location: string | undefined): string | undefined {
  const rule = ruleOf(visitor);
  if (rule !== 'pages') return location === target(visitor.link, rule) ? rule : undefined;
  const page = ['a', 'b'].findIndex((name) => location === target(visitor.link, name));
  return page < 0 ? undefined : `pages/${page + 1}`;
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** Returns the file of the campaign. The links with an even number have a page for its end. */
function campaignFile(): string {
  const rows = Array.from({ length: linkCount }, (_, link) => {
    const rules = [
      { name: 'german', when: { country: ['DE'] }, targetUrl: target(link, 'german') },
      { name: 'iphone', when: { os: 'iOS', device: 'mobile' }, targetUrl: target(link, 'iphone') },
      {
        name: 'pages',
        when: {},
        variants: [
          { targetUrl: target(link, 'a'), weight: 50 },
          { targetUrl: target(link, 'b'), weight: 50 },
        ],
      },
    ];
    const expiredUrl = link % 2 === 0 ? target(link, 'over') : '';
    const cells = [target(link, 'own'), `campaign-${link}`, '2099-12-31', expiredUrl];
    return [...cells, quoted(JSON.stringify(rules))].join();
  });
  return `${['url,slug,expiresAt,expiredUrl,rules', ...rows].join('\n')}\n`;
}

test('a campaign from a file leads each visitor by the rules, and the reports count exactly that', async () => {
  const folder = scratchFolder();
  const countries = join(folder, 'countries.mmdb');
  writeFileSync(
    countries,
    toMmdb(
      networks.map(({ prefix, country }) => ({
        address: `${prefix}.0.0`,
        bits: 16,
        record: { country: { iso_code: country } },
      })),
    ),
  );
  const { origin } = await startServer({
    port: await freePort(),
    folder,
    environment: {
      SHORTY_COUNTRY_DATABASE: countries,
      SHORTY_TRUST_PROXY: '127.0.0.1,::1',
      SHORTY_RATE_LIMIT: '0',
    },
  });
  const client = connect(origin);
  writeFileSync(join(folder, 'campaign.csv'), campaignFile());
  const imported = await shorty(['urls', 'bulk-create', 'campaign.csv', '--quiet'], folder, origin)
    .done;
  expect(imported).toMatchObject({ code: 0, stderr: '' });
  const ids = new Map<number, string>();
  for await (const { id, customSlug } of client.urls.list()) {
    ids.set(Number(customSlug?.slice('campaign-'.length)), id);
  }
  expect(ids.size).toBe(linkCount);

  const connections = new Agent({ keepAlive: true, maxSockets: atOnce });
  const visit = (link: number, address: string, agent: string) =>
    new Promise<{ status: number | undefined; location: string | undefined; text: string }>(
      (resolve, reject) => {
        const headers = { 'user-agent': agent, 'x-forwarded-for': address, accept: 'text/html' };
        get(`${origin}/campaign-${link}`, { agent: connections, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          const { statusCode: status, headers: received } = response;
          response.on('end', () => resolve({ status, location: received.location, text }));
        }).on('error', reject);
      },
    );

  // The clicks of each variant of each link.
  const expected = Array.from({ length: linkCount }, () => new Map<string, number>());
  const seen = new Map<string, string>();
  const wrong: unknown[] = [];
  const follow = async (visitor: Visitor) => {
    const { location } = await visit(visitor.link, visitor.address, visitor.agent);
    const variant = variantOf(visitor, location);
    const before = seen.get(visitor.address) ?? variant;
    if (variant === undefined || variant !== before) {
      wrong.push({ ...visitor, location, before });
      return;
    }
    seen.set(visitor.address, variant);
    const counts = expected[visitor.link] as Map<string, number>;
    counts.set(variant, (counts.get(variant) ?? 0) + 1);
  };
  const people = visitors(visitorCount);
  await Promise.all(people.map(follow));
  // A visitor who returns gets the same page.
  await Promise.all(people.slice(0, returningCount).map(follow));
  // Machines are led like people, and are not counted.
  await Promise.all(
    people.slice(0, machineCount).map(({ link, address }) => visit(link, address, machine)),
  );
  expect(wrong).toEqual([]);
  const sum = (counts: ReadonlyMap<string, number>) =>
    [...counts.values()].reduce((total, count) => total + count, 0);
  expect(expected.reduce((total, counts) => total + sum(counts), 0)).toBe(
    visitorCount + returningCount,
  );
  const ofVariant = (name: string) =>
    expected.reduce((total, counts) => total + (counts.get(name) ?? 0), 0);
  // Four standard deviations of a fair division.
  const divided = ofVariant('pages/1') + ofVariant('pages/2');
  expect(Math.abs(ofVariant('pages/1') - divided / 2)).toBeLessThan(2 * Math.sqrt(divided));

  const overview = async () => (await client.analytics.overview()).totals;
  await expect
    .poll(overview, { timeout: 30_000 })
    .toMatchObject({ totalClicks: visitorCount + returningCount, uniqueClicks: visitorCount });
  const reported = (breakdown: readonly { variant: string; clicks: number }[]) =>
    Object.fromEntries(breakdown.map(({ variant, clicks }) => [variant, clicks]));
  for (const [link, counts] of expected.entries()) {
    const { totals, breakdowns } = await client.urls.clicks(ids.get(link) as string);
    expect([link, totals.totalClicks]).toEqual([link, sum(counts)]);
    expect([link, reported(breakdowns.variant)]).toEqual([link, Object.fromEntries(counts)]);
  }
  const { stdout } = await shorty(['urls', 'clicks', 'campaign-0', '--json'], folder, origin).done;
  expect(reported(JSON.parse(stdout).breakdowns.variant)).toEqual(
    Object.fromEntries(expected[0] as Map<string, number>),
  );

  const end = new Date(Date.now() + 3_000).toISOString();
  const ended = await client.urls.bulkUpdate(
    [...ids.values()].map((id) => ({ id, expiresAt: end })),
  );
  expect(ended.updatedCount).toBe(linkCount);
  const last = linkCount - 1;
  await expect
    .poll(async () => (await visit(last, '5.5.0.1', iPhone)).status, { timeout: 30_000 })
    .toBe(410);
  const late = await Promise.all(
    people.slice(0, 500).map(async ({ link, address, agent }) => {
      const { status, location, text } = await visit(link, address, agent);
      return link % 2 === 0
        ? status === 302 && location === target(link, 'over')
        : status === 410 && location === undefined && text.includes('no longer active');
    }),
  );
  expect(late.filter((isRight) => !isRight)).toEqual([]);
  connections.destroy();
});
