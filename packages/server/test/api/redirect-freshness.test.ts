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

  const update = (body: object) => (id: string) => api.call('updateUrl', { params: { id }, body });
  it.each<[string, (id: string) => Promise<unknown>, number]>([
    ['a pause', update({ isActive: false }), 410],
    ['a password', update({ isPasswordProtected: true, password: 'x' }), 200],
    ['DELETE', (id) => api.call('deleteUrl', { params: { id } }), 410],
    ['bulk DELETE', (id) => api.call('bulkDeleteUrls', { body: { ids: [id] } }), 410],
    [
      'bulk PATCH',
      (id) => api.call('bulkUpdateUrls', { body: { updates: [{ id, isActive: false }] } }),
      410,
    ],
  ])('%s, by slug and by code', async (_, change, expected) => {
    const { id, shortCode, customSlug } = await create({
      customSlug: `hot-${performance.now()}`.replace('.', '-'),
    });
    for (const key of [shortCode, customSlug]) await api.visit(`/${key}`);
    let at = Number.POSITIVE_INFINITY;
    const visits = await hammer(`/${customSlug}`, async () => {
      await change(id);
      at = performance.now();
    });
    const after = visits.filter(({ beganAt }) => beganAt >= at);
    expect(visits.some(({ status }) => status === 307)).toBe(true);
    expect(after.length).toBeGreaterThan(0);
    expect(after.filter(({ status }) => status !== expected)).toEqual([]);
    expect((await api.visit(`/${shortCode}`)).status).toBe(expected);
  });
});
