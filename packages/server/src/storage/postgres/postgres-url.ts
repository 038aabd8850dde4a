import { userInfo } from 'node:os';

export type PostgresAddress = ReturnType<typeof parsePostgresUrl>;

const shape = /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]*)\/([^?/]+)(?:\?(.*))?$/;

const howToEncode =
  'percent-encode special characters of the password, as %40 for @, %2F for /, %3A for : and %25 for %';

/** The parameters that an address may have, and what each must be. */
const parameters: ReadonlyMap<string, readonly [valid: RegExp, rule: string]> = new Map([
  ['host', [/^\//, 'the absolute path of a folder with a unix socket']],
  ['port', [/^\d{1,5}$/, 'like 5432']],
  ['sslmode', [/^(disable|require|verify-full)$/, 'one of disable, require, verify-full']],
  ['pool_mode', [/^(session|transaction)$/, 'one of session, transaction']],
]);

/**
 * Parses an address in the syntax of libpq. The client tries its hosts in turn until one accepts
 * writes. The parameter `host` is the folder of a unix socket, and `pool_mode` that of a pooler such as
 * PgBouncer. Throws an error that names the valid form.
 *
 * @example
 * ```ts
 * parsePostgresUrl('postgres://shorty:secret@db1:5432,db2:5432/shorty?sslmode=require');
 * ```
 */
export function parsePostgresUrl(text: string) {
  const [, user = '', password, hosts = '', database = '', query = ''] = shape.exec(text) ?? [];
  if (hosts.includes('@')) throw new Error(`it has a second @: ${howToEncode}`);
  const { host: socketFolder, port, sslmode, pool_mode } = parseQuery(query);
  const isSocket = socketFolder !== undefined;
  if (database === '' || (isSocket ? hosts !== '' : hosts === '' || user === '')) {
    throw new Error(
      `it must be like postgres://user:password@host:5432/database, or postgres://user@/database?host=/run/postgresql for a unix socket; ${howToEncode}`,
    );
  }
  if (!isSocket && port !== undefined) {
    throw new Error('its port must follow its host, such as db.example.com:5433');
  }
  return {
    hosts: isSocket
      ? [{ host: socketFolder, port: parsePort(port) }]
      : hosts.split(',').map(parseHost),
    // PostgreSQL compares this name with the owner of the process, by its method "peer".
    user: user === '' ? userInfo().username : decode(user, 'user'),
    password: password === undefined ? undefined : decode(password, 'password'),
    database: decode(database, 'database'),
    /** Undefined connects without TLS, as a unix socket always does. */
    sslMode: isSocket ? undefined : sslmode,
    /** What the pooler between assigns a connection to. */
    poolMode: pool_mode,
  };
}

function decode(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`its ${part} has a % without two hexadecimal digits: ${howToEncode}`);
  }
}

function parseHost(text: string) {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) {
    throw new Error('its hosts must be like db.example.com:5432, with commas between several');
  }
  return { host, port: parsePort(port) };
}

function parsePort(text = '5432'): number {
  if (Number(text) > 65_535) throw new Error('its port must be like 5432');
  return Number(text);
}

function parseQuery(query: string): Readonly<Record<string, string | undefined>> {
  const found = Object.fromEntries(new URLSearchParams(query));
  for (const [name, value] of Object.entries(found)) {
    const [valid, rule] = parameters.get(name) ?? [];
    if (!valid) {
      throw new Error(
        `it has the parameter ${name}; only host, port, sslmode and pool_mode are known`,
      );
    }
    if (!valid.test(value)) throw new Error(`its ${name} must be ${rule}`);
  }
  return found;
}
