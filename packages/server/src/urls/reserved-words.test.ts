import { describe, expect, it } from 'vitest';
import { api } from '../api/api.js';
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
});
