import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../lib/api.js';
import { freePort, scratchFolder, startServer } from '../lib/processes.js';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

async function readinessOf(origin: string): Promise<string> {
  const response = await fetch(`${origin}/health/ready`);
  return `${response.status} ${await response.text()}`;
}

test('redirects work while the disk is full, and every visit is stored after space is freed', async () => {
  const server = await startServer({
    port: await freePort(),
    folder: scratchFolder(),
    diskBytes: 8 * 1024 * 1024,
  });
  const shorty = connect(server.origin);
  const { id, shortUrl } = await shorty.urls.create({ targetUrl: 'https://example.com' });
  let visits = 0;
  const visit = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      const response = await fetch(shortUrl, {
        redirect: 'manual',
        headers: { 'user-agent': firefox },
      });
      expect(response.status).toBe(307);
      visits += 1;
    }
  };
  const metric = async (name: string) => {
    const text = await (await fetch(`${server.origin}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  await visit(10);

  const filler = join(server.folder, 'filler');
  expect(() => writeFileSync(filler, Buffer.alloc(64 * 1024 * 1024))).toThrow('ENOSPC');
  expect(await readinessOf(server.origin)).toMatch(/^503 .*ENOSPC: no space left on device/);
  await visit(500);
  expect(await metric('shorty_journal_lines_in_memory')).toBeGreaterThan(0);
  expect(await metric('shorty_visits_fault')).toBe(1);
  const ready = await fetch(`${server.origin}/health/ready`);
  expect(Number(ready.headers.get('retry-after'))).toBeGreaterThan(0);

  rmSync(filler);
  await visit(10);
  const clicks = async () => (await shorty.urls.get(id)).clickCount;
  await expect.poll(clicks, { message: 'clickCount', timeout: 20_000 }).toBe(visits);
  expect((await shorty.urls.clicks(id)).totals).toEqual({
    totalClicks: visits,
    uniqueClicks: 1,
    uniqueIps: 1,
  });
  expect(await metric('shorty_journal_lines_in_memory')).toBe(0);
  expect(await metric('shorty_journal_lines_lost_total')).toBe(0);
  expect(await readinessOf(server.origin)).toMatch(/^200 /);
  expect(await server.stop()).toBe(0);
});

test('a stop during which the disk is full says how many visits are lost, and ends at once', async () => {
  const server = await startServer({
    port: await freePort(),
    folder: scratchFolder(),
    diskBytes: 8 * 1024 * 1024,
    environment: { SHORTY_LOG_LEVEL: 'warn' },
  });
  const { shortUrl } = await connect(server.origin).urls.create({
    targetUrl: 'https://example.com',
  });
  const filler = join(server.folder, 'filler');
  expect(() => writeFileSync(filler, Buffer.alloc(64 * 1024 * 1024))).toThrow('ENOSPC');
  // More than the pages that the files have.
  for (let time = 0; time < 500; time += 1) await fetch(shortUrl, { redirect: 'manual' });
  expect(await server.stop()).toBe(1);
  expect(server.log()).toMatch(/lost \d+ lines: ENOSPC.*stop failed/);
  expect(server.log()).not.toContain('ending the process');
});

test('a disk that becomes read-only makes the server not ready, until it can be written again', async () => {
  const folder = scratchFolder();
  const server = await startServer({ port: await freePort(), folder, diskBytes: 8 * 1024 * 1024 });
  const [, pid = ''] = /^\/proc\/(\d+)\//.exec(server.folder) ?? [];
  const asRoot = (...command: string[]) => {
    const args = ['--target', pid, '--user', '--mount', '--preserve-credentials', ...command];
    expect(spawnSync('nsenter', args, { encoding: 'utf8' })).toMatchObject({ status: 0 });
  };
  expect(await readinessOf(server.origin)).toMatch(/^200 /);
  // Files that are open for writing keep a disk writable, so another mount covers it.
  const journals = join(folder, 'shorty.db.visits');
  asRoot('mount', '--bind', journals, journals);
  asRoot('mount', '-o', 'remount,bind,ro', journals);
  expect(await readinessOf(server.origin)).toMatch(/^503 .*EROFS: read-only file system/);
  asRoot('umount', journals);
  expect(await readinessOf(server.origin)).toMatch(/^200 /);
});

test('with SHORTY_DURABILITY=power, visits get 503 while the disk is full', async () => {
  const server = await startServer({
    port: await freePort(),
    folder: scratchFolder(),
    diskBytes: 8 * 1024 * 1024,
    environment: { SHORTY_DURABILITY: 'power' },
  });
  const shorty = connect(server.origin);
  const { id, shortUrl } = await shorty.urls.create({ targetUrl: 'https://example.com' });
  let redirected = 0;
  const visit = async () => {
    const headers = { 'user-agent': firefox };
    const { status } = await fetch(shortUrl, { redirect: 'manual', headers });
    redirected += Number(status === 307);
    return status;
  };
  expect(await visit()).toBe(307);
  const filler = join(server.folder, 'filler');
  expect(() => writeFileSync(filler, Buffer.alloc(64 * 1024 * 1024))).toThrow('ENOSPC');
  // The last page of the journal has space for some visits.
  await expect.poll(visit, { message: 'a visit on the full disk', timeout: 20_000 }).toBe(503);
  for (let time = 0; time < 20; time += 1) expect(await visit()).toBe(503);
  rmSync(filler);
  await expect.poll(visit, { message: 'a visit', timeout: 20_000 }).toBe(307);
  // The visit that met the full disk first has a line, which is written later.
  const clicks = async () => (await shorty.urls.get(id)).clickCount;
  await expect.poll(clicks, { message: 'clickCount', timeout: 20_000 }).toBe(redirected + 1);
  expect(await server.stop()).toBe(0);
});
