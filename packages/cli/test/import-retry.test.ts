import { beforeAll, expect, test } from 'vitest';
import type { ApiServer } from './api-server.js';
import type { BuiltShorty } from './built-shorty.js';
import { startSignedInShorty } from './signed-in-shorty.js';

let server: ApiServer;
let shorty: BuiltShorty;
let txtRecord = '';

beforeAll(async () => {
  const started = await startSignedInShorty({ resolveTxt: async () => [txtRecord] });
  ({ server, shorty } = started);
  return started.stop;
});

test('--retry-failed sends only the failed rows, and writes those that fail again', async () => {
  const domain = await server.client.domains.create({ hostname: 'retry.example.com' });
  const rows = Array.from({ length: 250 }, (_, index) =>
    index % 10 === 0
      ? `https://retry.example/${index},${domain.id}`
      : `https://retry.example/${index},`,
  );
  await shorty.write('retry.csv', ['url,domainId', ...rows, 'no address,', ''].join('\n'));
  const args = ['urls', 'bulk-create', 'retry.csv', '--out', 'made.csv', '--failed-out', 'bad.csv'];

  const tooEarly = await shorty.run([...args, '--retry-failed']);
  expect([tooEarly.code, tooEarly.stderr]).toEqual([
    2,
    expect.stringContaining('no earlier import'),
  ]);

  expect((await shorty.run(args)).stdout).toContain('251 rows: 225 created, 26 failed');
  txtRecord = domain.txtRecord.value;
  await server.client.domains.verify(domain.id);
  const again = await shorty.run([...args, '--retry-failed']);
  expect(again.stdout).toMatch(/^251 rows, 225 of them earlier: 250 created, 1 failed in /);
  expect(again.stderr).toContain('importing 26 failed rows of the earlier import again\n');
  expect(await shorty.read('bad.csv')).toBe('url,domainId\nno address,\n');

  const targets = (await server.links()).map(({ targetUrl }) => targetUrl);
  expect(targets.sort()).toEqual(rows.map((row) => row.split(',')[0]).sort());
  const made = (await shorty.read('made.csv')).trimEnd().split('\n').slice(1);
  expect(made.map((line) => line.split(',')[5]).sort()).toEqual(targets);

  const nothingLeft = await shorty.run([...args, '--retry-failed']);
  expect(nothingLeft.stdout).toMatch(/250 created, 1 failed in /);
  expect(await server.links()).toHaveLength(250);
});
