import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextCache } from './text-cache.js';

const texts = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);

describe('TextCache', () => {
  it('returns the last value of a text, and undefined for an unknown one', () => {
    const cache = new TextCache<number>(4, 10);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.set('a', 1)).toBe(1);
    expect(cache.get('a')).toBe(1);
    cache.set('a', 2);
    expect(cache.get('a')).toBe(2);
    expect(cache.get('A')).toBeUndefined();
    cache.set('', 3);
    expect(cache.get('')).toBe(3);
  });

  it('caches at most the given number of values, the newest among them', () => {
    const cache = new TextCache<string>(10, 20);
    for (const text of texts(1000)) cache.set(text, text);
    const newest = texts(1000).slice(-5);
    expect(newest.map((text) => cache.get(text))).toEqual(newest);
    const cached = texts(1000).filter((text) => cache.get(text) !== undefined);
    expect(cached.length).toBeLessThanOrEqual(10);
  });

  it('retains a text that is read, and drops one that is not read for two generations', () => {
    const cache = new TextCache<string>(10, 20);
    cache.set('needed', 'yes');
    cache.set('unused', 'no');
    for (const text of texts(100)) {
      cache.set(text, text);
      expect(cache.get('needed')).toBe('yes');
    }
    expect(cache.get('unused')).toBeUndefined();
  });

  it('returns the last value of a text in the older generation', () => {
    const cache = new TextCache<number>(4, 10);
    cache.set('a', 1);
    cache.set('b', 2);
    cache.set('c', 3);
    cache.set('a', 4);
    expect(cache.get('a')).toBe(4);
  });

  it('does not cache texts above the length limit', () => {
    const cache = new TextCache<number>(4, 10);
    cache.set('x'.repeat(10), 1);
    expect(cache.set('x'.repeat(11), 2)).toBe(2);
    expect(cache.get('x'.repeat(10))).toBe(1);
    expect(cache.get('x'.repeat(11))).toBeUndefined();
  });

  it('distinguishes all texts, half surrogate pairs included', () => {
    const cache = new TextCache<string>(4, 10);
    cache.set('\ud800', 'half');
    expect(cache.get('\ufffd')).toBeUndefined();
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (list) => {
        for (const text of list) cache.set(text, text);
        for (const text of list) expect(cache.get(text) ?? text).toBe(text);
      }),
    );
  });
});
