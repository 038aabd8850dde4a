import { describe, expect, it } from 'vitest';
import type { Link } from './link.js';
import { bytesPerLink, LinkCache } from './link-cache.js';

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

interface Read {
  resolve(link: Link | undefined): void;
  reject(error: Error): void;
}

/** A cache whose reads end when the test resolves them. */
function controlledCache(max = 10) {
  const reads: Read[] = [];
  const asked: string[] = [];
  const cache = new LinkCache({
    maxBytes: max * (bytesPerLink + 40),
    load(domainId, key) {
      asked.push(`${domainId} ${key}`);
      return new Promise((resolve, reject) => reads.push({ resolve, reject }));
    },
  });
  /** Loads a link of the platform into the cache. */
  async function fill(key: string, link: Link): Promise<void> {
    const load = cache.load(null, key);
    reads.at(-1)?.resolve(link);
    await load;
  }
  return { cache, reads, asked, fill };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('LinkCache', () => {
  it('caches a loaded link', async () => {
    const { cache, reads } = controlledCache();
    expect(cache.peek(null, '/abc')).toBeUndefined();
    const load = cache.load(null, 'abc');
    reads[0]?.resolve(linkTo('a'));
    expect(await load).toMatchObject({ location: 'a' });
    expect(cache.peek(null, '/abc')).toMatchObject({ location: 'a' });
    expect(cache.peek('domain', '/abc')).toBeUndefined();
  });

  it('shares one read between concurrent loads', async () => {
    const { cache, reads, asked } = controlledCache();
    const loads = [cache.load(null, 'abc'), cache.load(null, 'abc'), cache.load('d', 'abc')];
    expect(asked).toEqual(['null abc', 'd abc']);
    for (const read of reads) read.resolve(linkTo('a'));
    expect(await Promise.all(loads)).toHaveLength(3);
  });

  it('does not cache that a link is missing', async () => {
    const { cache, reads } = controlledCache();
    const first = cache.load(null, 'abc');
    reads[0]?.resolve(undefined);
    expect(await first).toBeUndefined();
    await turn();
    const second = cache.load(null, 'abc');
    reads[1]?.resolve(linkTo('a'));
    expect(await second).toMatchObject({ location: 'a' });
  });

  it('rejects all concurrent loads when the read fails, and reads again afterwards', async () => {
    const { cache, reads } = controlledCache();
    const loads = [cache.load(null, 'abc'), cache.load(null, 'abc')];
    reads[0]?.reject(new Error('storage is away'));
    const outcomes = await Promise.allSettled(loads);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = cache.load(null, 'abc');
    reads[1]?.resolve(linkTo('a'));
    expect(await again).toMatchObject({ location: 'a' });
  });

  it('invalidates every key of a link, on every domain, and no other link', async () => {
    const { cache, reads } = controlledCache();
    const loads = [
      cache.load(null, 'slug'),
      cache.load(null, 'code'),
      cache.load('d', 'slug'),
      cache.load(null, 'other'),
    ];
    for (const [at, read] of reads.entries()) read.resolve(linkTo('x', at < 3 ? 1 : 2));
    await Promise.all(loads);
    cache.invalidate([1]);
    expect(cache.peek(null, '/slug')).toBeUndefined();
    expect(cache.peek(null, '/code')).toBeUndefined();
    expect(cache.peek('d', '/slug')).toBeUndefined();
    expect(cache.peek(null, '/other')).toBeDefined();
  });

  it('repeats a read when the link is invalidated during it', async () => {
    const { cache, reads } = controlledCache();
    const load = cache.load(null, 'abc');
    cache.invalidate([1]);
    reads[0]?.resolve(linkTo('old'));
    await turn();
    expect(reads).toHaveLength(2);
    reads[1]?.resolve(linkTo('new'));
    expect(await load).toMatchObject({ location: 'new' });
    expect(cache.peek(null, '/abc')).toMatchObject({ location: 'new' });
  });

  it('clear evicts all links and repeats running reads', async () => {
    const { cache, reads, fill } = controlledCache();
    await fill('first', linkTo('a', 1));
    const second = cache.load(null, 'second');
    cache.clear();
    expect(cache.peek(null, '/first')).toBeUndefined();
    reads[1]?.resolve(linkTo('old', 2));
    await turn();
    expect(reads).toHaveLength(3);
    reads[2]?.resolve(linkTo('new', 2));
    expect(await second).toMatchObject({ location: 'new' });
    cache.invalidate([2]);
    expect(cache.peek(null, '/second')).toBeUndefined();
  });

  it('reads a stale link again, returns it while reads fail, and evicts it when it is missing', async () => {
    const { cache, reads } = controlledCache();
    const load = async (settle: (read: Read | undefined) => void) => {
      const loaded = cache.load(null, 'abc');
      settle(reads.at(-1));
      return (await loaded)?.location;
    };
    await load((read) => read?.resolve(linkTo('old')));
    cache.markStale();
    expect(cache.peek(null, '/abc')).toBeUndefined();
    expect(await load((read) => read?.resolve(linkTo('new')))).toBe('new');
    expect(cache.peek(null, '/abc')).toMatchObject({ location: 'new' });
    cache.markStale();
    cache.markStale();
    expect(await load((read) => read?.reject(new Error('storage is away')))).toBe('new');
    // Storage is not read again at once.
    expect(await load(() => {})).toBe('new');
    expect(reads).toHaveLength(3);
    cache.invalidate([1]);
    expect(await load((read) => read?.resolve(linkTo('newer')))).toBe('newer');
    const other = controlledCache();
    await other.fill('abc', linkTo('a'));
    other.cache.markStale();
    const second = other.cache.load(null, 'abc');
    other.reads[1]?.resolve(undefined);
    expect(await second).toBeUndefined();
    const third = other.cache.load(null, 'abc');
    other.reads[2]?.reject(new Error('storage is away'));
    await expect(third).rejects.toThrow('storage is away');
  });

  it('returns a stale link while its read does not end', async () => {
    const { cache, reads, fill } = controlledCache();
    await fill('abc', linkTo('a'));
    cache.markStale();
    expect(await cache.load(null, 'abc')).toMatchObject({ location: 'a' });
    expect(reads).toHaveLength(2);
  });

  it('a read by one key leaves the other keys of a link stale', async () => {
    const { cache, reads } = controlledCache();
    const loads = [cache.load(null, 'slug'), cache.load(null, 'code')];
    for (const read of reads) read.resolve(linkTo('a'));
    await Promise.all(loads);
    cache.markStale();
    const load = cache.load(null, 'code');
    reads[2]?.resolve(linkTo('b'));
    await load;
    expect(cache.peek(null, '/code')).toMatchObject({ location: 'b' });
    expect(cache.peek(null, '/slug')).toBeUndefined();
    cache.invalidate([1]);
    cache.markStale();
    const again = cache.load(null, 'slug');
    reads[3]?.reject(new Error('storage is away'));
    await expect(again).rejects.toThrow('storage is away');
  });

  it('does not repeat a read when another link is invalidated', async () => {
    const { cache, reads } = controlledCache();
    const load = cache.load(null, 'abc');
    cache.invalidate([2, 3]);
    reads[0]?.resolve(linkTo('a'));
    expect(await load).toMatchObject({ location: 'a' });
    expect(reads).toHaveLength(1);
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

  it('evicts a link that was not used lately when it is full', async () => {
    const { cache, fill } = controlledCache(2);
    for (const [at, key] of ['a', 'b'].entries()) await fill(key, linkTo(key, at));
    cache.peek(null, '/a');
    await fill('c', linkTo('c', 2));
    expect(cache.peek(null, '/a')).toBeDefined();
    expect(cache.peek(null, '/b')).toBeUndefined();
    cache.invalidate([0, 1, 2]);
    expect(cache.peek(null, '/a')).toBeUndefined();
  });

  it('evicts the links of an organization, also as stale ones', async () => {
    const { cache, reads, fill } = controlledCache();
    await fill('abc', linkTo('a'));
    cache.invalidateOrganizations(['other']);
    expect(cache.peek(null, '/abc')).toBeDefined();
    cache.invalidateOrganizations(['o']);
    expect(cache.peek(null, '/abc')).toBeUndefined();
    const again = cache.load(null, 'abc');
    reads[1]?.reject(new Error('storage is away'));
    await expect(again).rejects.toThrow('storage is away');
  });

  it('limits links with long Location headers', async () => {
    const location = 'x'.repeat(140_000);
    const maxBytes = 1024 * 1024;
    const cache = new LinkCache({
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
