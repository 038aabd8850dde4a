import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connect, countLinks } from '../lib/api.js';
import { freePort, scratchFolder, shorty, startServer } from '../lib/processes.js';

const rowCount = 20_000;

function writeList(folder: string): string {
  const path = join(folder, 'links.csv');
  const rows = Array.from(
    { length: rowCount },
    (_, index) => `https://example.com/items/${index},Item ${index}`,
  );
  writeFileSync(path, `url,title\n${rows.join('\n')}\n`);
  return path;
}

/** Resolves once so many links exist. */
async function untilLinks(origin: string, count: number): Promise<void> {
  while ((await countLinks(origin)) < count) await sleep(5);
}

/** Every target of the list is there, and none of them twice. */
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

test('an import that is killed and run again makes each row exactly once', async () => {
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

test('an import waits for a server that is killed, and its count is exact', async () => {
  const folder = scratchFolder();
  const list = writeList(folder);
  const port = await freePort();
  let server = await startServer({ port, folder });
  const run = shorty(['urls', 'bulk-create', list, '--out', 'created.csv'], folder, server.origin);
  for (const share of [0.2, 0.5]) {
    await untilLinks(server.origin, rowCount * share);
    await server.kill();
    await sleep(500);
    server = await startServer({ port, folder });
  }
  const { code, stdout, stderr } = await run.done;
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  await expectEachOnce(server.origin);
  expectEachRowWritten(folder);
});

test('what was answered survives kill -9 of the server', async () => {
  const folder = scratchFolder();
  const port = await freePort();
  const first = await startServer({ port, folder });
  const client = connect(first.origin);
  const answered: string[] = [];
  const creating = (async () => {
    for (;;)
      answered.push(
        (await client.urls.create({ targetUrl: 'https://example.com' }, { maxRetries: 0 })).id,
      );
  })().catch(() => 'the server is gone');
  while (answered.length < 200) await sleep(5);
  await first.kill();
  await creating;
  const second = await startServer({ port, folder });
  const kept = new Set<string>();
  for await (const { id } of connect(second.origin).urls.list()) kept.add(id);
  expect(answered.filter((id) => !kept.has(id))).toEqual([]);
});
