import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../lib/api.js';
import { freePort, scratchFolder, startServer } from '../lib/processes.js';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

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
  await visit(500);
  expect(await metric('shorty_visits_in_memory')).toBeGreaterThan(0);
  expect(await metric('shorty_visits_fault')).toBe(1);
  const ready = await fetch(`${server.origin}/health/ready`);
  expect(ready.status).toBe(503);
  expect(Number(ready.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await ready.text()).toContain('journal');

  rmSync(filler);
  await visit(10);
  const clicks = async () => (await shorty.urls.get(id)).clickCount;
  await expect.poll(clicks, { message: 'clickCount', timeout: 20_000 }).toBe(visits);
  expect((await shorty.urls.clicks(id)).totals).toEqual({
    totalClicks: visits,
    uniqueClicks: 1,
    uniqueIps: 1,
  });
  expect(await metric('shorty_visits_in_memory')).toBe(0);
  expect((await fetch(`${server.origin}/health/ready`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
});
