import { fileURLToPath } from 'node:url';
import { type PostgresAddress, parsePostgresUrl } from './postgres/postgres-url.js';

/** Where a database is, and what speaks to it. */
export type DatabaseLocation =
  | { readonly engine: 'sqlite' /** Or ':memory:'. */; readonly path: string }
  | { readonly engine: 'postgres'; readonly address: PostgresAddress };

/** Reads what `SHORTY_DATABASE_URL` says; throws an error that says what would be right. */
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

/** The file of a database that is one; undefined for any other. */
export function fileOf(url: string): string | undefined {
  const location = locateDatabase(url);
  return location.engine === 'sqlite' && location.path !== ':memory:' ? location.path : undefined;
}

/** What messages and logs call an address: without the password, whatever is in that. */
export function nameOf(url: string): string {
  return url.replace(/(\/\/[^/:@]*:).*@/, '$1***@');
}
