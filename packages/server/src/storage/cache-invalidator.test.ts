import { describe, expect, it } from 'vitest';
import { CacheInvalidator } from './cache-invalidator.js';

function recordedCaches() {
  const calls: string[] = [];
  const cache = (name: string) => ({
    invalidate: (keys: readonly string[]) => {
      calls.push(`${name} ${keys.join(' ')}`);
    },
    clear: () => {
      calls.push(`${name} all`);
    },
  });
  const caches = { urls: cache('urls'), pictures: cache('pictures'), hosts: cache('hosts') };
  return { calls, invalidator: new CacheInvalidator(caches) };
}

describe('CacheInvalidator', () => {
  it('evicts each changed record once, and from the cache of its kind only', () => {
    const { calls, invalidator } = recordedCaches();
    invalidator.invalidate([
      { kind: 'urls', key: '7' },
      { kind: 'hosts', key: 'go.example' },
      { kind: 'urls', key: '9' },
      { kind: 'urls', key: '7' },
    ]);
    expect(calls).toEqual(['urls 7 9', 'hosts go.example']);
  });

  it('evicts nothing when nothing has changed', () => {
    const { calls, invalidator } = recordedCaches();
    invalidator.invalidate([]);
    expect(calls).toEqual([]);
  });

  it('clears every cache when changes may have been missed', () => {
    const { calls, invalidator } = recordedCaches();
    invalidator.clear();
    expect(calls).toEqual(['urls all', 'pictures all', 'hosts all']);
  });
});
