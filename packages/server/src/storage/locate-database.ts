import { fileURLToPath } from 'node:url';
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

/** Replaces the password of an address, for messages and logs. */
export function hidePassword(url: string): string {
  return url.replace(/(\/\/[^/:@]*:).*@/, '$1***@');
}
