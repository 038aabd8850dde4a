import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { poll } from '../../server/test/poll.js';
import { type ApiServer, startApiServer } from './api-server.js';
import { BuiltShorty } from './built-shorty.js';

let shorty: BuiltShorty;
let api: ApiServer;
beforeAll(async () => {
  api = await startApiServer();
  shorty = await BuiltShorty.build(api.env);
});
afterAll(async () => {
  await shorty.remove();
  await api.stop();
});

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const visit = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { redirect: 'manual', headers: { 'user-agent': firefox, ...headers } });
const streams = async () => {
  const webhooks = await api.client.webhooks.list().toArray();
  return webhooks.filter(({ expiresAt }) => expiresAt !== null);
};

test('prints the visits of selected links, also after its webhook was deleted, and ends with Ctrl-C', async () => {
  const target = { targetUrl: 'https://example.com/' };
  const url = await api.client.urls.create({ ...target, customSlug: 'spring', tags: ['launch'] });
  const { qrData } = await api.client.qr.create({ urlId: url.id });
  const other = await api.client.urls.create({ ...target, tags: ['launch'] });
  const running = shorty.start(['analytics', 'tail', '--tag', 'launch', '--link', 'spring']);
  onTestFinished(() => void running.process.kill('SIGKILL'));
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    running.process[name].on('data', (text: string) => {
      printed[name] += text;
    });
  }
  const printedLines = async (count: number) => {
    await poll(
      `${count} visits`,
      () => printed.stdout.split('\n').length - 1,
      (length) => length >= count,
    );
    const lines = printed.stdout.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const says = (text: string) =>
    poll(
      text,
      () => printed.stderr,
      (stderr) => stderr.includes(text),
    );

  await says('waiting for visits');
  const [stream] = await streams();
  expect(stream).toMatchObject({
    events: ['url.clicked'],
    filters: { tags: ['launch'], urlIds: [url.id] },
  });
  await visit(other.shortUrl);
  await visit(url.shortUrl, { referer: 'https://news.example.com/a' });
  await visit(qrData);
  const common = { urlId: url.id, shortUrl: url.shortUrl, deviceType: 'desktop' };
  expect(await printedLines(2)).toMatchObject([
    { ...common, method: 'click', referrerDomain: 'news.example.com' },
    { ...common, method: 'scan', scanCertainty: 'proven', referrerDomain: '(direct)' },
  ]);

  await api.client.webhooks.delete(stream?.id ?? '');
  await says('has expired or was deleted');
  await poll('another stream', streams, ({ length }) => length > 0);
  await visit(url.shortUrl);
  expect((await printedLines(3))[2]).toMatchObject({ ...common, method: 'click' });

  running.process.kill('SIGINT');
  expect((await running.result).code).toBe(130);
  expect(await streams()).toEqual([]);
});

test.each([
  [['--domain-id', '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47'], 'filters.domainIds[0]'],
  [['--link', 'unknown-link'], 'unknown-link'],
  [['--output', 'csv'], '--output'],
])('refuses %j', async (args, message) => {
  const { code, stderr } = await shorty.run(['analytics', 'tail', ...args]);
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining(message)]);
});
