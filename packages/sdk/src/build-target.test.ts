import { describe, expect, it } from 'vitest';
import { buildTarget, toJson } from './build-target.js';

const target = (query: object) =>
  buildTarget('GET /api/v1/analytics/overview', { query: { ...query } });

describe('a query', () => {
  it('repeats a list, and leaves out null, undefined and a list without items', () => {
    const query = { country: ['DE', 'AT'], tag: [], os: null, browser: undefined };
    expect(target(query).search).toBe('?country=DE&country=AT');
  });

  it.each([null, undefined, Number.NaN])('refuses %s in a list', (value) => {
    expect(() => target({ country: ['DE', value] })).toThrow('item 1 must be valid');
  });
});

describe('a path', () => {
  const path = (id: unknown) =>
    buildTarget('GET /api/v1/urls/{id}', { params: { id: id as string } }).path;

  it.each([undefined, null, '', '.', '..', Number.NaN, {}, true])('refuses the id %s', (id) => {
    const shown = typeof id === 'string' ? `"${id}"` : id;
    expect(() => path(id)).toThrow(`id must be a name or a number, not ${shown}`);
  });

  it('escapes what would end the name', () => {
    expect(path('a/b?c#d')).toBe('/api/v1/urls/a%2Fb%3Fc%23d');
    expect(path(42)).toBe('/api/v1/urls/42');
  });

  it('must begin with a slash', () => {
    expect(() => buildTarget('GET .evil.example', {})).toThrow('path must be a path from /');
  });
});

describe('a body', () => {
  it('writes a Date as ISO text, and keeps null and leaves out undefined', () => {
    const body = { expiresAt: new Date(0), title: null, category: undefined };
    expect(toJson(body)).toBe('{"expiresAt":"1970-01-01T00:00:00.000Z","title":null}');
  });

  it.each([Number.NaN, Infinity, new Date('x')])(
    'refuses %s, which JSON writes as null',
    (value) => {
      expect(() => toJson({ maxClicks: value })).toThrow('maxClicks must be valid');
    },
  );
});
