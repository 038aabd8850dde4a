import { expect, onTestFinished, test } from 'vitest';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server: api, shorty } = await startSignedInShorty();

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const visit = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { redirect: 'manual', headers: { 'user-agent': firefox, ...headers } });

test('prints the visits of selected links once, and ends with Ctrl-C', async () => {
  const target = { targetUrl: 'https://example.com/' };
  const url = await api.client.urls.create({ ...target, customSlug: 'spring', tags: ['launch'] });
  const { qrData } = await api.client.qr.create({ urlId: url.id });
  const other = await api.client.urls.create({ ...target, tags: ['launch'] });
  await shorty.exits(2, 'no webhook names url.clicked', 'analytics tail');
  // Each of them gets an event of the visits.
  for (const path of ['/one', '/two']) {
    await api.client.webhooks.create({
      url: `https://receiver.example${path}`,
      events: ['url.clicked'],
    });
  }
  await shorty.exits(1, 'unknown-link', 'analytics tail --link unknown-link');
  const running = shorty.start(['analytics', 'tail', '--link', 'spring']);
  onTestFinished(() => void running.process.kill('SIGKILL'));
  const { printed } = running;
  const printedLines = async (count: number) => {
    await expect.poll(() => printed.stdout.split('\n').length - 1).toBeGreaterThanOrEqual(count);
    const lines = printed.stdout.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  await expect.poll(() => printed.stderr).toContain('waiting for visits');
  await visit(other.shortUrl);
  await visit(url.shortUrl, { referer: 'https://news.example.com/a' });
  await visit(qrData);
  const common = { urlId: url.id, shortUrl: url.shortUrl, deviceType: 'desktop' };
  expect(await printedLines(2)).toMatchObject([
    { ...common, method: 'click', referrerDomain: 'news.example.com' },
    { ...common, method: 'scan', scanCertainty: 'proven', referrerDomain: '(direct)' },
  ]);

  running.process.kill('SIGINT');
  expect((await running.result).code).toBe(130);
});
