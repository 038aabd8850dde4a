import { expect, it } from 'vitest';
import { findDatabaseFile, hidePassword, locateDatabase } from './locate-database.js';

it.each([
  ['file:./data/shorty.db', { engine: 'sqlite', path: './data/shorty.db' }, './data/shorty.db'],
  ['file:/var/x.db', { engine: 'sqlite', path: '/var/x.db' }, '/var/x.db'],
  ['file:///var/a%20b.db', { engine: 'sqlite', path: '/var/a b.db' }, '/var/a b.db'],
  [':memory:', { engine: 'sqlite', path: ':memory:' }, undefined],
  ['postgres://u:p@h/d', { engine: 'postgres', address: { database: 'd' } }, undefined],
])('locates %s', (url, location, file) => {
  expect(locateDatabase(url)).toMatchObject(location);
  expect(findDatabaseFile(url)).toBe(file);
});

it.each(['', 'shorty.db', 'file:', 'mysql://u:p@h/d', 'http://h/'])('rejects "%s"', (url) => {
  expect(() => locateDatabase(url)).toThrow(/it must be file: and a path/);
});

it('replaces the password of an address', () => {
  expect(hidePassword('postgres://shorty:s3cr:e@t@one,two/links')).toBe(
    'postgres://shorty:***@one,two/links',
  );
  expect(hidePassword('file:./shorty.db')).toBe('file:./shorty.db');
});
