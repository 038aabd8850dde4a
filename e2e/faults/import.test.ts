import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect, countLinks } from '../lib/api.js';
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

/** Resolves when at least `count` links exist. */
async function untilLinks(origin: string, count: number): Promise<void> {
  await expect
    .poll(() => countLinks(origin), { message: 'links', timeout: 60_000, interval: 5 })
    .toBeGreaterThanOrEqual(count);
}

/** Every target of the list exists exactly once. */
async function expectEachOnce(origin: string): Promise<void> {
  expect(await countLinks(origin)).toBe(rowCount);
  const targets = new Set<string>();
  for await (const { targetUrl } of connect(origin).urls.list()) targets.add(targetUrl);
  expect(targets.size).toBe(rowCount);
}

function expectEachRowWritten(folder: string): void {
  const ids = readFileSync(join(folder, 'created.csv'), 'utf8').trimEnd().split('\n');
  expect(ids.length).toBe(rowCount + 1);
  expect(new Set(ids).size).toBe(rowCount + 1);
}

test('an import that is killed and run again creates each row exactly once', async () => {
  const folder = scratchFolder();
  const list = writeList(folder);
  const { origin } = await startServer({ port: await freePort(), folder });
  const args = ['urls', 'bulk-create', list, '--out', 'created.csv'];
  for (const share of [0.2, 0.5]) {
    const run = shorty(args, folder, origin);
    await untilLinks(origin, rowCount * share);
    run.child.kill('SIGKILL');
    await run.done;
  }
  expect(await countLinks(origin)).toBeLessThan(rowCount);
  const { code, stdout, stderr } = await shorty(args, folder, origin).done;
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  await expectEachOnce(origin);
  expectEachRowWritten(folder);
});

test('an import retries while its server is down, and its count is exact', async () => {
  const folder = scratchFolder();
  const list = writeList(folder);
  const port = await freePort();
  let server = await startServer({ port, folder });
  const run = shorty(['urls', 'bulk-create', list, '--out', 'created.csv'], folder, server.origin);
  for (const [kill, share] of [0.2, 0.5].entries()) {
    await untilLinks(server.origin, rowCount * share);
    await server.kill();
    const retries = () => run.stderr().split('retrying for').length - 1;
    await expect.poll(retries, { message: 'retry messages', timeout: 20_000 }).toBe(kill + 1);
    server = await startServer({ port, folder });
  }
  const { code, stdout, stderr } = await run.done;
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  await expectEachOnce(server.origin);
  expectEachRowWritten(folder);
});
