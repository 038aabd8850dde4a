import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../config-error.js';
import { type PostgresAddress, parsePostgresUrl } from './postgres/postgres-url.js';

type DatabaseLocation =
  | { readonly engine: 'sqlite' /** A file, or ':memory:'. */; readonly path: string }
  | { readonly engine: 'postgres'; readonly address: PostgresAddress };

/** Parses `SHORTY_DATABASE_URL`. Throws an error that names the valid forms. */
export function locateDatabase(url: string): DatabaseLocation {
  if (url === ':memory:') return { engine: 'sqlite', path: url };
  if (/^postgres(ql)?:\/\//.test(url))
    return { engine: 'postgres', address: parsePostgresUrl(url) };
  if (/^file:\/\/(localhost)?\/./.test(url)) return { engine: 'sqlite', path: fileURLToPath(url) };
  if (/^file:(?!\/\/)./.test(url)) return { engine: 'sqlite', path: url.slice('file:'.length) };
  throw new Error(
    'it must be file: and a path, such as file:./data/shorty.db, :memory:, or postgres://user:password@host/database',
  );
}

/** Returns the path of a SQLite file; undefined for any other database. */
export function findDatabaseFile(url: string): string | undefined {
  const location = locateDatabase(url);
  return location.engine === 'sqlite' && location.path !== ':memory:' ? location.path : undefined;
}

/** Throws a ConfigError if the address is that of a SQLite file that does not exist. */
export function requireDatabaseFile(url: string): void {
  const file = findDatabaseFile(url);
  if (file === undefined || existsSync(file)) return;
  throw new ConfigError(
    `SHORTY_DATABASE_URL is ${url}: there is no database at ${resolve(file)}; shorty-server start and shorty-server migrate create one`,
  );
}

/** Replaces the password of an address, for messages and logs. */
export function hidePassword(url: string): string {
  return url.replace(/(\/\/[^/:@]*:).*@/, '$1***@');
}
