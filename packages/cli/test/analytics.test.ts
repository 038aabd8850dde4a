import { stripVTControlCharacters } from 'node:util';
import { formatNumber } from '@shorty/report';
import type { UrlClicks } from '@shorty/sdk';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { BuiltShorty, expectEnd, type RunHere, recordsOf } from './built-shorty.js';
import { analyticsOverview, urlClicks } from './click-fixtures.js';

const now = () => Date.UTC(2030, 11, 1, 9, 30);
const env = { SHORTY_BASE_URL: 'https://sho.test', SHORTY_ACCESS_TOKEN: 'token' };
const shorty = await BuiltShorty.build(env);
afterAll(() => shorty.remove());

/** The responses of the server, the one for the window before, and the requested paths with queries. */
const server = {
  clicks: urlClicks(),
  overview: analyticsOverview(),
  before: undefined as UrlClicks | undefined,
  requests: [] as string[],
};

beforeEach(() => {
  const responses = { clicks: urlClicks(), overview: analyticsOverview(), before: undefined };
  Object.assign(server, responses, { requests: [] });
});

async function respond(input: string | URL | Request): Promise<Response> {
  const { pathname, search } = new URL(String(input));
  const path = pathname.replace('/api/v1/', '');
  server.requests.push(decodeURIComponent(pathname + search));
  const isBefore = /limit=1(&|$)/.test(search) && server.before;
  const data = {
    'analytics/overview': isBefore || server.overview,
    'urls/42/clicks': isBefore || server.clicks,
    'urls/42': { id: '42', title: 'Spring sale' },
  }[path];
  const error = { code: 'NOT_FOUND', message: 'link not found' };
  return data
    ? Response.json({ success: true, data })
    : Response.json({ success: false, error }, { status: 404 });
}

const run = (line: string, options: RunHere = {}) =>
  shorty.run(line, { fetch: respond, now, ...options });

const commands = [
  'urls clicks 42',
  'analytics overview',
  'analytics report',
  'analytics report 42',
];

describe.each(commands)('%s', (command) => {
  const path = command.endsWith('42') ? '/api/v1/urls/42/clicks' : '/api/v1/analytics/overview';

  test('requests the selected window', async () => {
    expect((await run(command)).code).toBe(0);
    const flags = '--since 7d --until 2030-11-30 --group-by hour --limit 5';
    expect((await run(`${command} ${flags}`)).code).toBe(0);
    const requests = server.requests.filter((request) => request.startsWith(path));
    // The window before has the length of the response's window.
    const before = 'since=2030-10-02T00:00:00.000Z&until=2030-11-01T00:00:00.000Z';
    expect(requests).toEqual([
      // 30 whole days, with today.
      `${path}?groupBy=day&since=2030-11-02`,
      expect.stringMatching(/since=2030-10-04T00:00:00.000&limit=1&until=2030-11-01/),
      `${path}?groupBy=hour&since=2030-11-24T10:00:00.000Z&until=2030-11-30&limit=5`,
      `${path}?groupBy=day&${before}&limit=1`,
    ]);
    await run(`${command} --json`);
    expect(server.requests.slice(-1)).toEqual([`${path}?groupBy=day&since=2030-11-02`]);
  });

  test('the window before a week of a time zone is a week, when clocks change in either', async () => {
    const windows = [
      // Clocks change in the week.
      ['2030-03-25T00:00:00.000+01:00', '2030-04-01T00:00:00.000+02:00', '2030-03-18'],
      // Clocks change in the week before.
      ['2030-04-01T00:00:00.000+02:00', '2030-04-08T00:00:00.000+02:00', '2030-03-25'],
      ['2030-10-28T00:00:00.000+01:00', '2030-11-04T00:00:00.000+01:00', '2030-10-21'],
    ] as const;
    for (const [since, until, before] of windows) {
      server.requests.length = 0;
      server.clicks = urlClicks({ since, until, timezone: 'Europe/Berlin' });
      server.overview = analyticsOverview({ since, until, timezone: 'Europe/Berlin' });
      const dates = `--since ${since.slice(0, 10)} --until ${until.slice(0, 10)}`;
      expect((await run(`${command} ${dates} --timezone Europe/Berlin`)).code).toBe(0);
      const query = server.requests.find((request) => request.includes(`until=${since}`));
      expect(query).toContain(`since=${before}T00:00:00.000&`);
    }
  });

  test('every filter stands in the heading', async () => {
    const ofLink = command.endsWith(' 42');
    const tag = ofLink ? [] : ['tag', 'flyer'];
    const filters = `${ofLink ? '' : '--tag flyer '}--country DE --device mobile --utm-source mail`;
    const title = `${ofLink ? '(id 42): Spring sale' : 'links tagged flyer'}, Germany, mobile, utm source mail`;
    const { stdout } = await run(`${command} ${filters}`);
    expect(stdout.split('\n')[0]).toContain(title);
    const json = JSON.parse((await run(`${command} ${filters} --json`)).stdout);
    expect(json.filters).toEqual({
      ...(ofLink ? {} : { tag: ['flyer'] }),
      ...{ country: ['DE'], device: ['mobile'], utmSource: ['mail'] },
    });
    if (!ofLink) {
      const commas = await run(`${command} --tag a,b --device mobile`);
      expect(commas.stdout.split('\n')[0]).toContain('links tagged "a,b", mobile');
    }
    if (!command.startsWith('analytics report')) return;
    expect((await run(`${command} ${filters} --output html`)).stdout).toContain(`${title}</h1>`);
    const csv = (await run(`${command} ${filters} --output csv`)).stdout;
    expect(csv).toContain(
      '\nfilter,country,DE,,\nfilter,device,mobile,,\nfilter,utmSource,mail,,\n',
    );
    expect(csv.includes('filter,tag,flyer')).toBe(tag.length > 0);
  });

  test('sends the filters for UTM parameters and language, and shows their values', async () => {
    const filters = '--utm-source mail --utm-source (none) --utm-campaign sale --language de';
    const { stdout } = await run(`${command} ${filters}`);
    const query = 'utmSource=mail&utmSource=(none)&utmCampaign=sale&language=de';
    expect(server.requests.filter((each) => each.includes(query))).not.toEqual([]);
    expect(stdout).toMatch(/UTM campaign\b/);
    expect(stdout).toMatch(/spring-sale +1,000/);
    expect(stdout).toMatch(/German +4,100/);
    // No visit has this parameter.
    expect(stdout).not.toContain('UTM term');
  });

  test('shows titles, the change, other names and partial days', async () => {
    const totals = { totalClicks: 1000, uniqueClicks: 500, uniqueIps: 0 };
    const since = '2030-10-02T12:00:00.000Z';
    server.before = { ...urlClicks(), totals, since, until: '2030-11-01T00:00:00.000Z' };
    server.clicks = { ...urlClicks(), until: '2030-11-30T12:00:00.000Z' };
    server.overview = analyticsOverview({ until: '2030-11-30T12:00:00.000Z' });
    const { stdout } = await run(command);
    expect(stdout).toContain('Spring sale');
    expect(stdout).toMatch(/^6,401 clicks \(\+540%\) {3}2,817 unique visitors \(\+463%\)/m);
    expect(stdout).toContain('2,604 addresses (0 before)');
    expect(stdout).toContain('change from 2030-10-02 12:00 UTC to 2030-11-01 00:00 UTC');
    expect(stdout).toMatch(/2030-11-01 +2030-11-30\*\n/);
    expect(stdout).toContain('* only a part of the day\n');
    const { totalClicks } = urlClicks().totals;
    const { country } = urlClicks().breakdowns;
    const others = totalClicks - country.reduce((sum, { clicks }) => sum + clicks, 0);
    expect(stdout).toMatch(new RegExp(`\\(other\\) +${formatNumber(others)} `));
  });

  test('has colors on a terminal only', async () => {
    const piped = await run(command);
    const shown = await run(command, { isTerminal: true, env: { TERM: 'xterm-256color' } });
    expect(piped.stdout).not.toContain('\u001b');
    expect(stripVTControlCharacters(shown.stdout)).toBe(piped.stdout);
    expect(piped.stdout).toContain('2030-11-01 00:00 UTC to 2030-12-01 00:00 UTC, by day\n');
    expect(piped.stdout).toMatch(/Germany +3,012 +\d\d\.\d% █/);
    expect(piped.stdout).toContain('a-very-long-subdomain-');
    expect(piped.stdout).toContain('…');
    const plain = await run(`${command} --no-color`, { isTerminal: true });
    expect(plain.stdout).toBe(piped.stdout);
  });

  test('--json prints the data of the response', async () => {
    const { stdout } = await run(`${command} --json`);
    expect(JSON.parse(stdout)).toEqual(command.endsWith('42') ? urlClicks() : analyticsOverview());
  });
});

test.each(['urls clicks 42', 'analytics overview'])(
  '%s prints the series as rows',
  async (command) => {
    const { timeseries } = urlClicks();
    const { stdout: lines } = await run(`${command} -o ndjson`);
    expect(recordsOf(lines)).toEqual(timeseries);
    const { stdout: csv } = await run(`${command} -o csv`);
    expect(
      parse(csv, { columns: true, cast: (cell) => (/^\d+$/.test(cell) ? Number(cell) : cell) }),
    ).toEqual(timeseries);
    const { code, stderr } = await run(`${command} -o html`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('use table, json, ndjson, csv')]);
  },
);

describe('a report', () => {
  test('--since 7d are whole days of the time zone, and filters are parameters', async () => {
    const flags = '--since 7d --timezone Europe/Berlin --country DE --country AT --tag a';
    expect((await run(`analytics report ${flags}`)).code).toBe(0);
    expect(decodeURIComponent(server.requests[0] ?? '')).toBe(
      '/api/v1/analytics/overview?groupBy=day&since=2030-11-25&timezone=Europe/Berlin&country=DE&country=AT&tag=a',
    );
    const ofLink = await run('analytics report 42 --tag a');
    expectEnd(ofLink, 2, '--tag cannot be');
  });

  test('--fields selects fields of the response, and of buckets', async () => {
    const table = await run('urls clicks 42 --fields shortCode,timezone');
    expect(table.stdout).toBe('shortCode  aB3xY9q\ntimezone   UTC\n');
    const csv = await run('urls clicks 42 --fields clicks -o csv');
    expect(csv.stdout).toMatch(/^clicks\n\d+\n/);
    const report = await run('analytics report --fields totals');
    expectEnd(report, 2, '--fields');
  });

  test('html contains the window and the creation time', async () => {
    const { code, stdout } = await run('analytics report --output html');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(stdout).toContain(
      'Created <time datetime="2030-12-01T09:30:00.000Z">2030-12-01 09:30 UTC',
    );
    expect(stdout).toContain('<small>Spring sale</small>');
    expect(stdout).toContain('<li><b>6,401</b> clicks <small>(unchanged)</small></li>');
    expect(stdout).toContain('<th scope="row">(other)');
    expect(stdout).toContain('<title>2030-11-15: ');
    expect(stdout).toContain('sho.example/spring-sale');
  });

  test('csv has one row for each value', async () => {
    const { stdout } = await run('analytics report -o csv');
    const rows: string[][] = parse(stdout);
    expect(rows.slice(0, 11).map((row) => row.join(','))).toEqual([
      'section,name,detail,clicks,uniques',
      `total,clicks,,${urlClicks().totals.totalClicks},2817`,
      'total,uniqueIps,2604,,',
      'total,totalUrls,1280,,',
      'total,activeUrls,1204,,',
      'total,totalQrs,31,,',
      'total,totalScans,908,,',
      'total,provenScans,700,,',
      'total,inferredScans,208,,',
      'top-url,https://sho.example/spring-sale,42,3100,',
      'top-url,https://sho.example/東京-セール,7,900,',
    ]);
    expect(rows).toContainEqual(['country', 'DE', '', '3012', '']);
    expect(rows).toContainEqual(['referrer', 'google.com', 'search', '1500', '']);
    expect(rows).toContainEqual(['country', '(other)', '', '1372', '']);
    expect(rows.at(-1)?.slice(0, 2)).toEqual(['series', '2030-11-30T00:00:00.000Z']);
  });

  test('--out replaces a file, but only after the response', async () => {
    await shorty.write('report.html', 'the last report');
    const missing = await run('analytics report 43 -o html --out report.html');
    expect([missing.code, await shorty.read('report.html')]).toEqual([1, 'the last report']);
    const written = await run('analytics report 42 -o html --out report.html');
    expect(written).toEqual({ code: 0, stdout: '', stderr: 'report written to report.html\n' });
    expect(await shorty.read('report.html')).toMatch(/<\/html>\n$/);
    expectEnd(await run('analytics report --out none/x'), 2, 'cannot be written');
  });

  test('the extension of --out selects the format, and a file contains no colors', async () => {
    const write = async (name: string) => {
      await run(`analytics report --out ${name}`, { isTerminal: true });
      return shorty.read(name);
    };
    expect(await write('chosen.html')).toMatch(/<\/html>\n$/);
    expect(await write('chosen.csv')).toMatch(/^section,name,/);
    expect(JSON.parse(await write('chosen.json'))).toHaveProperty('totals');
    expect(await write('chosen.txt')).toBe((await run('analytics report')).stdout);
  });
});
