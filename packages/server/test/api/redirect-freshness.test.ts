import { describe, expect, it } from 'vitest';
import { startForFile } from './start-server.js';

const api = await startForFile();

const create = async (body: object = {}) =>
  await api.createLink({ targetUrl: 'https://example.com/0', ...body });

interface Visit {
  readonly beganAt: number;
  readonly status: number;
  readonly location: string | null;
}

/** Visits a link continuously on many connections until shortly after the work is done. */
async function hammer(path: string, work: () => Promise<void>): Promise<Visit[]> {
  const visits: Visit[] = [];
  let isDone = false;
  const connections = Array.from({ length: 32 }, async () => {
    for (let rest = 3; rest > 0; rest -= isDone ? 1 : 0) {
      const beganAt = performance.now();
      const response = await fetch(api.server.url + path, { redirect: 'manual' });
      visits.push({
        beganAt,
        status: response.status,
        location: response.headers.get('location'),
      });
      await response.arrayBuffer();
    }
  });
  try {
    await work();
  } finally {
    isDone = true;
    await Promise.all(connections);
  }
  return visits;
}

describe('the first redirect after the response to a change uses the new state, while other visits continue', () => {
  it('an edit, twenty times in a row', async () => {
    const { id, shortCode } = await create();
    const changes: { at: number; location: string }[] = [];
    const visits = await hammer(`/${shortCode}`, async () => {
      for (let turn = 1; turn <= 20; turn += 1) {
        const location = `https://example.com/${turn}`;
        await api.call('updateUrl', { params: { id }, body: { targetUrl: location } });
        changes.push({ at: performance.now(), location });
      }
    });
    const turnOf = (location: string | null) => Number(location?.split('/').at(-1));
    const stale = visits.filter(({ beganAt, location }) => {
      const turn = changes.filter(({ at }) => at <= beganAt).length;
      return turnOf(location) < turn;
    });
    expect(visits.length).toBeGreaterThan(100);
    expect(stale).toEqual([]);
    expect(visits.at(-1)?.location).toBe('https://example.com/20');
  });

  it.each([
    ['a pause', { isActive: false }],
    ['a password', { isPasswordProtected: true, password: 'x' }],
  ])('%s', async (_, body) => {
    const { id, shortCode } = await create();
    let at = Number.POSITIVE_INFINITY;
    const visits = await hammer(`/${shortCode}`, async () => {
      await api.visit(`/${shortCode}`);
      await api.call('updateUrl', { params: { id }, body });
      at = performance.now();
    });
    expect(visits.some(({ status }) => status === 307)).toBe(true);
    const after = visits.filter(({ beganAt }) => beganAt >= at);
    expect(after.length).toBeGreaterThan(0);
    expect(after.filter(({ status }) => status === 307)).toEqual([]);
  });

  it.each([
    ['DELETE', (id: string) => api.call('deleteUrl', { params: { id } })],
    ['bulk DELETE', (id: string) => api.call('bulkDeleteUrls', { body: { ids: [id] } })],
    [
      'bulk PATCH',
      (id: string) => api.call('bulkUpdateUrls', { body: { updates: [{ id, isActive: false }] } }),
    ],
  ])('%s, by slug and by code', async (_, remove) => {
    const { id, shortCode, customSlug } = await create({
      customSlug: `hot-${performance.now()}`.replace('.', '-'),
    });
    for (const key of [shortCode, customSlug]) await api.visit(`/${key}`);
    let at = Number.POSITIVE_INFINITY;
    const visits = await hammer(`/${customSlug}`, async () => {
      await remove(id);
      at = performance.now();
    });
    const after = visits.filter(({ beganAt }) => beganAt >= at);
    expect(after.length).toBeGreaterThan(0);
    expect(after.filter(({ status }) => status !== 410)).toEqual([]);
    expect((await api.visit(`/${shortCode}`)).status).toBe(410);
  });
});
