import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect } from './lib/api.js';
import { freePort, scratchFolder, shorty, startServer } from './lib/processes.js';

const people = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
];
const machines = ['Googlebot/2.1 (+http://www.google.com/bot.html)', 'curl/8.5.0', ''];

test('every report format contains the clicks of visitors', async () => {
  const folder = scratchFolder();
  const server = await startServer({ port: await freePort(), folder });
  const { id, shortUrl } = await connect(server.origin).urls.create({
    targetUrl: 'https://example.com',
  });
  for (const agent of [...people, ...people, ...machines]) {
    await fetch(shortUrl, { redirect: 'manual', headers: { 'user-agent': agent } });
  }
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await shorty(args, folder, server.origin).done;
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const clicks = async () =>
    JSON.parse(await run('urls', 'clicks', id, '--json')) as { totals: { totalClicks: number } };
  await expect
    .poll(async () => (await clicks()).totals, { message: 'totals of clicks', timeout: 20_000 })
    .toEqual({ totalClicks: 4, uniqueClicks: 2, uniqueIps: 1 });
  expect(JSON.parse(await run('analytics', 'overview', '--json'))).toMatchObject({
    totals: { totalUrls: 1, activeUrls: 1, totalClicks: 4 },
    topUrls: [{ urlId: id, shortUrl, clicks: 4 }],
    breakdowns: {
      browser: expect.arrayContaining([expect.objectContaining({ browser: 'Firefox', clicks: 2 })]),
      os: expect.arrayContaining([expect.objectContaining({ os: 'iOS', clicks: 2 })]),
    },
  });
  expect(await run('analytics', 'report', id)).toContain('Firefox');
  expect(await run('analytics', 'report', id, '--output', 'csv')).toMatch(/^total,.*4/m);
  await run('analytics', 'report', '--output', 'html', '--out', 'report.html');
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain(
    shortUrl.slice('http://'.length),
  );
  expect(await server.stop()).toBe(0);
});
