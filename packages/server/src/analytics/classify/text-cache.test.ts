import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextCache } from './text-cache.js';

const texts = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);

describe('TextCache', () => {
  it('gives back what was set, and nothing of what was not', () => {
    const recent = new TextCache<number>(4, 10);
    expect(recent.get('a')).toBeUndefined();
    expect(recent.set('a', 1)).toBe(1);
    expect(recent.get('a')).toBe(1);
    recent.set('a', 2);
    expect(recent.get('a')).toBe(2);
    expect(recent.get('A')).toBeUndefined();
    recent.set('', 3);
    expect(recent.get('')).toBe(3);
  });

  it('keeps at most as many as it may, the newest among them', () => {
    const recent = new TextCache<string>(10, 20);
    for (const text of texts(1000)) recent.set(text, text);
    const newest = texts(1000).slice(-5);
    expect(newest.map((text) => recent.get(text))).toEqual(newest);
    const kept = texts(1000).filter((text) => recent.get(text) !== undefined);
    expect(kept.length).toBeLessThanOrEqual(10);
  });

  it('keeps what is read between, and drops what two generations did not need', () => {
    const recent = new TextCache<string>(10, 20);
    recent.set('needed', 'yes');
    recent.set('forgotten', 'no');
    for (const text of texts(100)) {
      recent.set(text, text);
      expect(recent.get('needed')).toBe('yes');
    }
    expect(recent.get('forgotten')).toBeUndefined();
  });

  it('gives a value of the older generation as it was last set', () => {
    const recent = new TextCache<number>(4, 10);
    recent.set('a', 1);
    recent.set('b', 2);
    recent.set('c', 3);
    recent.set('a', 4);
    expect(recent.get('a')).toBe(4);
  });

  it('keeps texts up to its length and computes longer ones again', () => {
    const recent = new TextCache<number>(4, 10);
    recent.set('x'.repeat(10), 1);
    expect(recent.set('x'.repeat(11), 2)).toBe(2);
    expect(recent.get('x'.repeat(10))).toBe(1);
    expect(recent.get('x'.repeat(11))).toBeUndefined();
  });

  it('never takes one text for another, half surrogate pairs included', () => {
    const recent = new TextCache<string>(4, 10);
    recent.set('\ud800', 'half');
    expect(recent.get('\ufffd')).toBeUndefined();
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (list) => {
        for (const text of list) recent.set(text, text);
        for (const text of list) expect(recent.get(text) ?? text).toBe(text);
      }),
    );
  });
});
