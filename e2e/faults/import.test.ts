import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../lib/api.js';
import { freePort, scratchFolder, shorty, startServer } from '../lib/processes.js';

const rowCount = 8_000;

function writeList(folder: string): string {
  const path = join(folder, 'links.csv');
  const rows = Array.from(
    { length: rowCount },
    (_, index) => `https://example.com/items/${index},Item ${index}`,
  );
  writeFileSync(path, `url,title\n${rows.join('\n')}\n`);
  return path;
}

test('an import that is killed and run again creates each row exactly once', async () => {
  const folder = scratchFolder();
  const list = writeList(folder);
  const { origin } = await startServer({ port: await freePort(), folder });
  const { urls } = connect(origin);
  const count = async () => (await urls.list({ limit: 1 })).total;
  const args = ['urls', 'bulk-create', list, '--out', 'created.csv'];
  for (const share of [0.2, 0.5]) {
    const run = shorty(args, folder, origin);
    await expect
      .poll(count, { message: 'links', timeout: 60_000, interval: 5 })
      .toBeGreaterThanOrEqual(rowCount * share);
    run.child.kill('SIGKILL');
    await run.ended;
  }
  expect(await count()).toBeLessThan(rowCount);
  const { code, stdout, stderr } = await shorty(args, folder, origin).ended;
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  const targets = (await urls.list().toArray()).map(({ targetUrl }) => targetUrl);
  expect([targets.length, new Set(targets).size]).toEqual([rowCount, rowCount]);
  const written = readFileSync(join(folder, 'created.csv'), 'utf8').trimEnd().split('\n');
  expect([written.length, new Set(written).size]).toEqual([rowCount + 1, rowCount + 1]);
});
