import type { PoolClient } from 'pg';
import { ConfigError } from '../../config-error.js';
import { StorageUnavailableError } from '../database.js';
import { codeOf, translatePostgresError } from './postgres-error.js';
import type { PostgresAddress } from './postgres-url.js';
import { openServerPool } from './server-pool.js';

const oldestVersion = 15;
// Insufficient privilege, and no schema that this role may use.
const missingRights = /^(42501|3F000)$/;

/**
 * Checks what Shorty needs from a server, before anything uses it: its version, the encoding UTF8, and
 * that the address names a pooler. Throws a ConfigError that names what to change.
 */
export async function checkServer(address: PostgresAddress): Promise<void> {
  const pool = openServerPool(address, 1, false);
  try {
    const client = await pool.acquire();
    try {
      await check(client, address);
    } finally {
      client.release();
    }
  } catch (error) {
    throw error instanceof ConfigError ? error : explainRefusal(error, address);
  } finally {
    await pool.end();
  }
}

/** Says which part of the address to correct, if PostgreSQL cannot be used by it. */
export function explainRefusal(
  error: unknown,
  { hosts, user, database }: PostgresAddress,
): unknown {
  const translated = translatePostgresError(error);
  if (!(translated instanceof StorageUnavailableError)) return translated;
  const cause = translated.cause as (Error & { readonly code?: string }) | undefined;
  const { code = '', message = '' } = cause ?? {};
  const servers = hosts.map(({ host, port }) => `${host}:${port}`).join(', ');
  const untrusted = `no known authority has issued the certificate of PostgreSQL (${message}): name the file of its authority in NODE_EXTRA_CA_CERTS`;
  const reasons: Readonly<Record<string, string>> = {
    '28P01': `PostgreSQL refused the password of user ${user}: correct it`,
    '28000': `PostgreSQL refused the user ${user} (${message}): correct the user, or pg_hba.conf`,
    '3D000': `PostgreSQL has no database ${database}: create it, or correct the name`,
    ECONNREFUSED: `no PostgreSQL listens on ${servers}: start it, or correct host and port`,
    ENOENT: `no PostgreSQL listens on ${servers}: start it, or correct the folder of the socket`,
    ENOTFOUND: `the host is unknown (${message}): correct it`,
    CERT_HAS_EXPIRED: 'the certificate of PostgreSQL has expired: renew it',
    ERR_TLS_CERT_ALTNAME_INVALID: `the certificate of PostgreSQL is for another host (${message}): correct the host, or get a certificate for it`,
    DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
    SELF_SIGNED_CERT_IN_CHAIN: untrusted,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  };
  // The driver's own errors have no code.
  const driverReasons = [
    [
      /password must be a string/,
      `PostgreSQL wants a password of user ${user}, and the address has none: add it`,
    ],
    [
      /does not support SSL/,
      'PostgreSQL has no TLS: set ssl = on in postgresql.conf, or remove sslmode from the address',
    ],
  ] as const;
  const reason = reasons[code] ?? driverReasons.find(([text]) => text.test(message))?.[1];
  if (reason === undefined && cause === undefined) return translated;
  return new StorageUnavailableError(
    `SHORTY_DATABASE_URL: ${reason ?? `PostgreSQL cannot be used (${code === '' ? message : `${code}: ${message}`})`}`,
    { cause },
  );
}

async function check(client: PoolClient, { database, poolMode }: PostgresAddress): Promise<void> {
  const { rows } = await client.query<{ version: string; encoding: string; pid: number }>(
    `select current_setting('server_version') as version,
      current_setting('server_encoding') as encoding, pg_backend_pid() as pid`,
  );
  const { version = '', encoding, pid } = rows[0] ?? {};
  requireVersion(version);
  if (encoding !== 'UTF8') {
    throw new ConfigError(
      `SHORTY_DATABASE_URL: the database ${database} has the encoding ${encoding}, and must have UTF8: dump it with pg_dump, create another database with encoding 'UTF8' template template0, and restore the dump there`,
    );
  }
  // A pooler sends process ids of its own.
  const { processID } = client as PoolClient & { readonly processID?: number };
  if (poolMode === undefined && pid !== processID) {
    throw new ConfigError(
      'SHORTY_DATABASE_URL: there is a pooler such as PgBouncer before PostgreSQL, and the address does not say what it pools: add the parameter pool_mode=transaction or pool_mode=session to the address, whichever the pooler has',
    );
  }
}

/** Throws a ConfigError unless a version such as `18.1` or `15.4 (Debian 15.4-1)` is supported. */
export function requireVersion(version: string): void {
  if (Number.parseInt(version, 10) >= oldestVersion) return;
  throw new ConfigError(
    `SHORTY_DATABASE_URL: the server is PostgreSQL ${version}, and must be version ${oldestVersion} or later: upgrade it with pg_upgrade`,
  );
}

/** Converts the error of a role that may not create tables to a ConfigError. */
export function explainMissingRights(error: unknown, { user, database }: PostgresAddress): unknown {
  if (!missingRights.test(codeOf(error) ?? '')) return error;
  const { message } = (error as Error).cause as Error;
  return new ConfigError(
    `SHORTY_DATABASE_URL: the role ${user} may not create or change tables in the database ${database} (${message}): make it the owner of the database and of its tables (alter table … owner to "${user}"), or for a new database run as the owner: grant usage, create on schema public to "${user}"`,
    { cause: error },
  );
}
