import { describe, expect, it } from 'vitest';
import type { Link } from './link.js';
import { LinkCache } from './link-cache.js';

const linkTo = (location: string, urlId = 1): Link => ({
  urlId,
  organizationId: 'o',
  shortCode: 'abcdefg',
  status: 307,
  location,
  cacheControl: 'no-store',
  isActive: true,
  expiresAt: null,
  passwordHash: null,
  targetName: undefined,
  isLoop: false,
});

interface Read {
  resolve(link: Link | undefined): void;
  reject(error: Error): void;
}

/** A cache whose reads end when the test says so. */
function controlledCache(max = 10) {
  const reads: Read[] = [];
  const asked: string[] = [];
  const cache = new LinkCache({
    max,
    load(domainId, key) {
      asked.push(`${domainId} ${key}`);
      return new Promise((resolve, reject) => reads.push({ resolve, reject }));
    },
  });
  return { cache, reads, asked };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('LinkCache', () => {
  it('keeps what it has loaded', async () => {
    const { cache, reads } = controlledCache();
    expect(cache.peek(null, '/abc')).toBeUndefined();
    const load = cache.load(null, 'abc');
    reads[0]?.resolve(linkTo('a'));
    expect(await load).toMatchObject({ location: 'a' });
    expect(cache.peek(null, '/abc')).toMatchObject({ location: 'a' });
    expect(cache.peek('domain', '/abc')).toBeUndefined();
  });

  it('reads once for all who ask meanwhile', async () => {
    const { cache, reads, asked } = controlledCache();
    const loads = [cache.load(null, 'abc'), cache.load(null, 'abc'), cache.load('d', 'abc')];
    expect(asked).toEqual(['null abc', 'd abc']);
    for (const read of reads) read.resolve(linkTo('a'));
    expect(await Promise.all(loads)).toHaveLength(3);
  });

  it('keeps nothing of a link that does not exist, so that it is found once it does', async () => {
    const { cache, reads } = controlledCache();
    const first = cache.load(null, 'abc');
    reads[0]?.resolve(undefined);
    expect(await first).toBeUndefined();
    await turn();
    const second = cache.load(null, 'abc');
    reads[1]?.resolve(linkTo('a'));
    expect(await second).toMatchObject({ location: 'a' });
  });

  it('gives a failed read to all who wait, and reads again for the next', async () => {
    const { cache, reads } = controlledCache();
    const loads = [cache.load(null, 'abc'), cache.load(null, 'abc')];
    reads[0]?.reject(new Error('storage is away'));
    const outcomes = await Promise.allSettled(loads);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = cache.load(null, 'abc');
    reads[1]?.resolve(linkTo('a'));
    expect(await again).toMatchObject({ location: 'a' });
  });

  it('forgets every key of a link, on every domain, and no other link', async () => {
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

  it('reads again when the link changed during the read', async () => {
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

  it('forgets all links, and reads again what was being read, when anything may have changed', async () => {
    const { cache, reads } = controlledCache();
    const first = cache.load(null, 'first');
    reads[0]?.resolve(linkTo('a', 1));
    await first;
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

  it('does not read again for a change of another link', async () => {
    const { cache, reads } = controlledCache();
    const load = cache.load(null, 'abc');
    cache.invalidate([2, 3]);
    reads[0]?.resolve(linkTo('a'));
    expect(await load).toMatchObject({ location: 'a' });
    expect(reads).toHaveLength(1);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])(
    'keeps nothing old when the change comes %i microtasks after the read has ended',
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
      // Whoever asks from now on is answered by what is new.
      const later = cache.load(null, 'abc');
      reads.at(-1)?.resolve(linkTo('new'));
      expect(await later).toMatchObject({ location: 'new' });
    },
  );

  it('forgets the least recently used link when it is full', async () => {
    const { cache, reads } = controlledCache(2);
    for (const [at, key] of ['a', 'b'].entries()) {
      const load = cache.load(null, key);
      reads[at]?.resolve(linkTo(key, at));
      await load;
    }
    cache.peek(null, '/a');
    const load = cache.load(null, 'c');
    reads[2]?.resolve(linkTo('c', 2));
    await load;
    expect(cache.peek(null, '/a')).toBeDefined();
    expect(cache.peek(null, '/b')).toBeUndefined();
    cache.invalidate([0, 1, 2]);
    expect(cache.peek(null, '/a')).toBeUndefined();
  });
});
