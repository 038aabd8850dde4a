import { userInfo } from 'node:os';

const sslModes = ['disable', 'require', 'verify-full'] as const;
const poolModes = ['session', 'transaction'] as const;

export type PostgresAddress = ReturnType<typeof parsePostgresUrl>;

const shape = /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]*)\/([^?/]+)(?:\?(.*))?$/;

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
  const { socketFolder, port, sslMode, poolMode } = parseQuery(query);
  const isSocket = socketFolder !== undefined;
  if (database === '' || (isSocket ? hosts !== '' : hosts === '' || user === '')) {
    throw new Error(
      'it must be like postgres://user:password@host:5432/database, or postgres://user@/database?host=/run/postgresql for a unix socket',
    );
  }
  if (!isSocket && port !== undefined) {
    throw new Error('its port must follow its host, such as db.example.com:5433');
  }
  return {
    hosts: isSocket
      ? [{ host: socketFolder, port: port ?? 5432 }]
      : hosts.split(',').map(parseHost),
    // PostgreSQL compares this name with the owner of the process, by its method "peer".
    user: user === '' ? userInfo().username : decodeURIComponent(user),
    password: password === undefined ? undefined : decodeURIComponent(password),
    database: decodeURIComponent(database),
    /** Undefined connects without TLS, as a unix socket always does. */
    sslMode: isSocket ? undefined : sslMode,
    /** True if each transaction may reach another session of the server. */
    poolsTransactions: poolMode === 'transaction',
  };
}

function parseHost(text: string) {
  const [, bracketed, plain, port = '5432'] =
    /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) {
    throw new Error('its hosts must be like db.example.com:5432, with commas between several');
  }
  return { host, port: Number(port) };
}

function parseQuery(query: string) {
  let socketFolder: string | undefined;
  let port: number | undefined;
  let sslMode: (typeof sslModes)[number] | undefined;
  let poolMode: (typeof poolModes)[number] | undefined;
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'host') {
      if (!value.startsWith('/')) {
        throw new Error('its host must be the absolute path of a folder with a unix socket');
      }
      socketFolder = value;
    } else if (name === 'port') {
      port = Number(value);
      if (!/^\d{1,5}$/.test(value) || port > 65_535) throw new Error('its port must be like 5432');
    } else if (name === 'sslmode') {
      sslMode = sslModes.find((known) => known === value);
      if (sslMode === undefined) {
        throw new Error(`its sslmode must be one of ${sslModes.join(', ')}`);
      }
    } else if (name === 'pool_mode') {
      poolMode = poolModes.find((known) => known === value);
      if (poolMode === undefined) {
        throw new Error(`its pool_mode must be one of ${poolModes.join(', ')}`);
      }
    } else {
      throw new Error(
        `it has the parameter ${name}; only host, port, sslmode and pool_mode are known`,
      );
    }
  }
  return { socketFolder, port, sslMode, poolMode };
}
