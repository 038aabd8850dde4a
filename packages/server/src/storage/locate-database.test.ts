import { expect, it } from 'vitest';
import { fileOf, locateDatabase, nameOf } from './locate-database.js';

it.each([
  ['file:./data/shorty.db', { engine: 'sqlite', path: './data/shorty.db' }, './data/shorty.db'],
  ['file:/var/x.db', { engine: 'sqlite', path: '/var/x.db' }, '/var/x.db'],
  ['file:///var/a%20b.db', { engine: 'sqlite', path: '/var/a b.db' }, '/var/a b.db'],
  [':memory:', { engine: 'sqlite', path: ':memory:' }, undefined],
  ['postgres://u:p@h/d', { engine: 'postgres', address: { database: 'd' } }, undefined],
])('finds %s', (url, location, file) => {
  expect(locateDatabase(url)).toMatchObject(location);
  expect(fileOf(url)).toBe(file);
});

it.each(['', 'shorty.db', 'file:', 'mysql://u:p@h/d', 'http://h/'])(
  'finds nothing at "%s"',
  (url) => {
    expect(() => locateDatabase(url)).toThrow(/it must be file: and a path/);
  },
);

it('names a database without its password', () => {
  expect(nameOf('postgres://shorty:s3cr:e@t@one,two/links')).toBe(
    'postgres://shorty:***@one,two/links',
  );
  expect(nameOf('file:./shorty.db')).toBe('file:./shorty.db');
});
