import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../api/start-server.js';
import { type TemporaryFile, temporaryFile } from './temporary-database.js';

const targetUrl = 'https://example.com/';
const person = {
  headers: {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  },
};

let file: TemporaryFile;
let api: TestServer;
beforeEach(async () => {
  file = temporaryFile();
  api = await startServer({ databaseUrl: `file:${file.path}` });
});
afterEach(async () => {
  await api.stop();
  file.remove();
});

const create = (body: object = {}) => api.call('createUrl', { body: { targetUrl, ...body } });

describe('while another process has locked the database', () => {
  it('all writes fail with 503 and Retry-After after two waits at most, and redirects and reads work', async () => {
    const [cached, uncached] = [(await create()).data, (await create()).data];
    const limited = (await create({ maxClicks: 3 })).data;
    for (const { shortCode } of [cached, limited]) await api.visit(`/${shortCode}`, person);
    const other = file.other();
    other.exec('begin immediate');
    const startedAt = performance.now();
    const { clientId, clientSecret } = api.credentials;
    const tokenForm = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    });
    const token = api.visit('/api/v1/auth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: tokenForm.toString(),
    });
    const writes = Promise.all([
      ...Array.from({ length: 24 }, () => create()),
      api.call('updateUrl', { params: { id: cached.id }, body: { title: 'x' } }),
      api.call('bulkDeleteUrls', { body: { ids: [uncached.id] } }),
    ]);
    let isWaiting = true;
    // A click that is not taken in storage could be one too many.
    const limitedVisit = api.visit(`/${limited.shortCode}`, person);
    const watched = writes.finally(() => {
      isWaiting = false;
    });
    let visits = 0;
    let slowestMs = 0;
    while (isWaiting) {
      const beganAt = performance.now();
      expect((await api.visit(`/${cached.shortCode}`)).status).toBe(307);
      slowestMs = Math.max(slowestMs, performance.now() - beganAt);
      visits += 1;
      if (visits === 1) {
        expect((await api.visit(`/${uncached.shortCode}`)).status).toBe(307);
        expect((await api.visit('/unknown')).status).toBe(404);
        expect((await api.call('listUrls')).data.total).toBe(3);
        expect((await api.visit('/health/ready')).status).toBe(200);
      }
    }
    for (const response of await watched) {
      expect(response.outcome).toBe('503 UNAVAILABLE');
      expect(response.headers.get('retry-after')).toBe('2');
    }
    expect((await limitedVisit).status).toBe(503);
    expect((await token).body).toMatchObject({ error: 'temporarily_unavailable' });
    expect((await token).headers.get('retry-after')).toBe('2');
    // A write waits for 5 s. Waits one after the other would add up to minutes.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(visits).toBeGreaterThan(50);
    expect(slowestMs).toBeLessThan(1_000);

    other.exec('rollback');
    expect((await create()).status).toBe(201);
    expect((await api.visit(`/${limited.shortCode}`, person)).status).toBe(307);
    const record = await api.getLink(cached.id);
    expect(record.title).toBeNull();
  });

  it('a write succeeds as soon as the lock is released', async () => {
    const other = file.other();
    other.exec('begin immediate');
    const write = create();
    await api.visit('/unknown');
    other.exec('commit');
    expect((await write).status).toBe(201);
  });
});
