import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from '../../packages/server/test/postgres/start-postgres.js';
import { freePort, scratchFolder, startTool } from './processes.js';

/** Starts a PgBouncer before a PostgreSQL. Returns the URL of a database through it. */
export async function startPgBouncer(
  postgres: PostgresServer,
  poolMode: 'session' | 'transaction' | 'statement',
  database: string,
  poolSize = 40,
): Promise<string> {
  const folder = scratchFolder();
  const port = await freePort();
  const { port: serverPort, username, password } = new URL(postgres.urlOf(database));
  const config = join(folder, 'pgbouncer.ini');
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${serverPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
default_pool_size = ${poolSize}
`,
  );
  chmodSync(folder, 0o755);
  // It refuses to run as root, and changes to this user itself.
  const asNobody = process.getuid?.() === 0 ? ['--user', 'nobody'] : [];
  await startTool('pgbouncer', [...asNobody, config], port);
  return postgres.urlOf(database).replace(`:${serverPort}/`, `:${port}/`);
}
