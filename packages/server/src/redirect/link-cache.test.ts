import { createHook } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import type { Link } from './link.js';
import { bytesPerLink, createLinkCache } from './link-cache.js';

const linkTo = (location: string, urlId = 1): Link => ({
  urlId,
  isTakenDown: false,
  organizationId: 'o',
  excludedAddresses: undefined,
  shortCode: 'abcdefg',
  status: 307,
  location,
  campaign: null,
  cacheControl: 'no-store',
  isActive: true,
  activatesAt: null,
  expiresAt: null,
  fallback: undefined,
  clickLimit: undefined,
  passwordHash: null,
  forwarding: undefined,
  variant: null,
  rules: undefined,
  preview: undefined,
});

/** A cache whose reads end when the test resolves them. */
function controlledCache() {
  const reads: { resolve(link: Link | undefined): void }[] = [];
  const cache = createLinkCache({
    maxBytes: 10 * (bytesPerLink + 40),
    load: () => new Promise((resolve) => reads.push({ resolve })),
  });
  return { cache, reads };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('createLinkCache', () => {
  it('does not cache a read when the link is invalidated during it', async () => {
    const { cache, reads } = controlledCache();
    const load = cache.load(null, 'abc');
    cache.invalidate([1]);
    const later = cache.load(null, 'abc');
    reads[1]?.resolve(linkTo('new'));
    reads[0]?.resolve(linkTo('old'));
    expect(await later).toMatchObject({ location: 'new' });
    await load;
    expect(cache.peek(null, '/abc')).toMatchObject({ location: 'new' });
  });

  it.each([0, 1, 2, 3, 4, 5, 6])(
    'caches no outdated link when the change happens %i microtasks after the read has ended',
    async (microtasks) => {
      const { cache, reads } = controlledCache();
      const load = cache.load(null, 'abc');
      reads[0]?.resolve(linkTo('old'));
      for (let at = 0; at < microtasks; at += 1) await Promise.resolve();
      cache.invalidate([1]);
      await turn();
      reads[1]?.resolve(linkTo('new'));
      await load;
      expect(cache.peek(null, '/abc')?.location).not.toBe('old');
      // Loads from now on return the new link.
      const later = cache.load(null, 'abc');
      reads.at(-1)?.resolve(linkTo('new'));
      expect(await later).toMatchObject({ location: 'new' });
    },
  );

  it('leaves no timer when stale links were read again', async () => {
    const timers = new Set<number>();
    const hook = createHook({
      init: (id, type) => type === 'Timeout' && timers.add(id),
      destroy: (id) => timers.delete(id),
    });
    const cache = createLinkCache({ maxBytes: 10_000, load: async () => linkTo('same') });
    await cache.load(null, 'abc');
    cache.markStale();
    hook.enable();
    for (let at = 0; at < 20; at += 1) await cache.load(null, 'abc');
    const begun = timers.size;
    await turn();
    hook.disable();
    expect(begun).toBeGreaterThanOrEqual(20);
    // The test runner has some, too.
    expect(timers.size).toBeLessThan(20);
  });

  it('limits links with long Location headers', async () => {
    const location = 'x'.repeat(140_000);
    const maxBytes = 1024 * 1024;
    const cache = createLinkCache({
      maxBytes,
      load: async (_, key) => linkTo(location, Number(key)),
    });
    const keys = Array.from({ length: 100 }, (_, at) => String(at));
    for (const key of keys) await cache.load(null, key);
    const cached = keys.filter((key) => cache.peek(null, `/${key}`));
    expect(cached.length * location.length).toBeLessThanOrEqual(maxBytes);
    expect(cached.at(-1)).toBe('99');
  });
});
