import { describe, expect, it } from 'vitest';
import { api } from '../api/api.js';
import { defineRoute } from '../contract/define-route.js';
import { reservedWords } from './reserved-words.js';

const words = reservedWords(api);

describe('reservedWords', () => {
  it.each(['api', 'dashboard', 'admin'])('blocks %s, which the specification names', (word) => {
    expect(words).toContain(word);
  });

  it.each(['robots.txt', 'favicon.ico', 'health', 'metrics', 'docs', 'login', 'www', 'qr'])(
    'blocks %s, which web servers usually serve',
    (word) => {
      expect(words).toContain(word);
    },
  );

  it('blocks the first segment of every route that exists', () => {
    for (const { path } of api) {
      const segment = path.split('/')[1] as string;
      if (!segment.startsWith('{')) expect(words).toContain(segment);
    }
  });

  it('blocks the first segment of a new route, in lower case, and no path parameter', () => {
    const route = (path: `/${string}`) =>
      defineRoute('x', `GET ${path}`, {
        tag: 'x',
        summary: 'x',
        access: 'public',
        responses: {},
      });
    const derived = reservedWords([route('/Brand-New/{id}'), route('/{code}')]);
    expect(derived).toContain('brand-new');
    expect([...derived].some((word) => word.includes('{'))).toBe(false);
  });
});
