import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { parse } from 'csv-parse/sync';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { httpFetch } from '../src/http-fetch.js';
import { main } from '../src/main.js';
import { displayWidth } from '../src/text-width.js';
import { analyticsOverview, noClicks, urlClicks } from './click-fixtures.js';
import { type ClicksServer, startClicksServer } from './clicks-server.js';
import { fakeIo } from './fake-io.js';

const now = Date.UTC(2030, 11, 1, 9, 30);

let server: ClicksServer;
let folder: string;

beforeAll(async () => {
  server = await startClicksServer();
  folder = await mkdtemp(join(tmpdir(), 'shorty-analytics-'));
});

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  server.requests.length = 0;
});

afterEach(() => {
  server.clicks = urlClicks();
  server.overview = analyticsOverview();
});

async function run(line: string, { isTerminal = false, env = {} } = {}) {
  const io = fakeIo({
    isTerminal,
    env: { SHORTY_BASE_URL: server.url, SHORTY_ACCESS_TOKEN: 'token', ...env },
    homeDirectory: folder,
    fetch: httpFetch,
    now: () => now,
  });
  const code = await main(line.split(' '), io);
  return { code, ...io.text };
}

const everywhere = [
  'urls clicks 42',
  'analytics overview',
  'analytics report',
  'analytics report 42',
];

describe.each(everywhere)('%s', (command) => {
  const path = command.endsWith('42') ? '/api/v1/urls/42/clicks' : '/api/v1/analytics/overview';

  test('requests the selected window', async () => {
    expect((await run(command)).code).toBe(0);
    const flags = '--since 7d --until 2030-11-30 --group-by hour --limit 5';
    expect((await run(`${command} ${flags}`)).code).toBe(0);
    expect(server.requests).toEqual([
      `${path}?groupBy=day`,
      `${path}?groupBy=hour&since=2030-11-24T09:30:00.000Z&until=2030-11-30T00:00:00.000Z&limit=5`,
    ]);
  });

  test.each([
    ['--since yesterday', '--since yesterday: invalid time'],
    ['--until 2030-11-01T00:00:00', 'a timestamp with a time zone (2030-11-01T00:00:00Z)'],
    ['--since 2030-02-30', '--since 2030-02-30'],
    ['--since 2030-11-02 --until 2030-11-01', 'must be before --until 2030-11-01'],
    ['--since 2031-01-01', '--since 2031-01-01 must be before now'],
    ['--group-by week', 'Allowed choices are hour, day'],
    ['--limit 51', '--limit 51: at most 50'],
    ['--limit 0', 'at least 1'],
    ['--output xml', '--output xml: unknown format'],
  ])('%s is a usage error, and sends no request', async (flags, message) => {
    const { code, stdout, stderr } = await run(`${command} ${flags}`);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
    expect(server.requests).toEqual([]);
  });

  test('fits into 80 columns, with colors on a terminal only', async () => {
    const piped = await run(command);
    const shown = await run(command, { isTerminal: true, env: { TERM: 'xterm-256color' } });
    expect(piped.stdout).not.toContain('\u001b');
    expect(stripVTControlCharacters(shown.stdout)).toBe(piped.stdout);
    for (const line of piped.stdout.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(80);
    expect(piped.stdout).toContain('2030-11-01 00:00 UTC to 2030-12-01 00:00 UTC, by day\n');
    expect(piped.stdout).toMatch(/Germany +3,012 +\d\d\.\d% █/);
    expect(piped.stdout).toContain('a-very-long-subdomain-');
    expect(piped.stdout).toContain('…');
    const plain = await run(`${command} --no-color`, { isTerminal: true });
    expect(plain.stdout).toBe(piped.stdout);
  });

  test('reports a window without clicks', async () => {
    const { totals, ...empty } = noClicks();
    server.clicks = { ...empty, totals };
    const all = { ...analyticsOverview().totals, ...totals };
    const { breakdowns, timeseries } = empty;
    server.overview = analyticsOverview({ totals: all, topUrls: [], breakdowns, timeseries });
    const { code, stdout } = await run(command);
    expect(code).toBe(0);
    expect(stdout.endsWith('\nno clicks in this window\n')).toBe(true);
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
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(timeseries);
    const { stdout: csv } = await run(`${command} -o csv`);
    expect(
      parse(csv, { columns: true, cast: (cell) => (/^\d+$/.test(cell) ? Number(cell) : cell) }),
    ).toEqual(timeseries);
    const { code, stderr } = await run(`${command} -o html`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('use table, json, ndjson, csv')]);
  },
);

test('an unknown link exits with 1', async () => {
  const { code, stdout, stderr } = await run('urls clicks 43');
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('link not found')]);
});

describe('a report', () => {
  test('--output lists the formats of this command', async () => {
    const { code, stderr } = await run('analytics report -o ndjson');
    expect([code, stderr]).toEqual([2, expect.stringContaining('use terminal, html, csv, json')]);
    const both = await run('analytics report --json --output html');
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringContaining('cannot be used together'),
    ]);
  });

  test('html contains the window and the creation time', async () => {
    const { code, stdout } = await run('analytics report --output html');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(stdout).toContain(
      'Created <time datetime="2030-12-01T09:30:00.000Z">2030-12-01 09:30 UTC',
    );
    expect(stdout).toContain('<title>2030-11-15: ');
    expect(stdout).toContain('sho.example/spring-sale');
  });

  test('csv has one row for each value', async () => {
    const { stdout } = await run('analytics report -o csv');
    const rows: string[][] = parse(stdout);
    expect(rows.slice(0, 9).map((row) => row.join(','))).toEqual([
      'section,name,detail,clicks,uniques',
      `total,clicks,,${urlClicks().totals.totalClicks},2817`,
      'total,uniqueIps,2604,,',
      'total,totalUrls,1280,,',
      'total,activeUrls,1204,,',
      'total,totalQrs,31,,',
      'total,totalScans,908,,',
      'top-url,https://sho.example/spring-sale,42,3100,',
      'top-url,https://sho.example/東京-セール,7,900,',
    ]);
    expect(rows).toContainEqual(['country', 'DE', '', '3012', '']);
    expect(rows).toContainEqual(['referrer', 'google.com', 'search', '1500', '']);
    expect(rows.at(-1)?.slice(0, 2)).toEqual(['series', '2030-11-30T00:00:00.000Z']);
  });

  test('--out replaces a file, but only after the response', async () => {
    const file = join(folder, 'report.html');
    await writeFile(file, 'the last report');
    const missing = await run(`analytics report 43 -o html --out ${file}`);
    expect([missing.code, await readFile(file, 'utf8')]).toEqual([1, 'the last report']);
    const { code, stdout, stderr } = await run(`analytics report 42 -o html --out ${file}`);
    expect([code, stdout, stderr]).toEqual([0, '', `report written to ${file}\n`]);
    expect(await readFile(file, 'utf8')).toMatch(/<\/html>\n$/);
    const nowhere = await run(`analytics report --out ${join(folder, 'none', 'x')}`);
    expect([nowhere.code, nowhere.stderr]).toEqual([
      2,
      expect.stringContaining('cannot be written'),
    ]);
  });

  test('a file contains no colors', async () => {
    const file = join(folder, 'report.txt');
    const piped = await run('analytics report');
    await run(`analytics report --out ${file}`, { isTerminal: true });
    expect(await readFile(file, 'utf8')).toBe(piped.stdout);
  });
});
