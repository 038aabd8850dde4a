import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { collectGarbage, collectGarbageWhenIdle } from '../../collect-garbage.js';
import { findUnknownSettings, readConfig } from '../../config.js';
import { createServer } from '../../create-server.js';
import { periodicService } from '../../lifecycle.js';
import type { ShortyServer } from '../../server-options.js';
import { findDatabaseFile } from '../../storage/locate-database.js';
import { unusable } from '../../storage/open-storage.js';
import { version } from '../../version.js';
import { deleteAbandonedFolders } from '../backup/move-into-place.js';
import { openScheduledBackups } from '../backup/scheduled-backups.js';
import { createLogger, toText } from './create-logger.js';
import { openLogDestination } from './log-destination.js';

const stopSignals = ['SIGTERM', 'SIGINT'] as const;
// Service managers kill a process after 10 s. A hanging storage or thread must not delay a stop.
const stopWithinMs = 9_000;
const exitWithinMs = 500;
const backupCheckMs = 1_000;

/** Serves until SIGTERM or SIGINT. With `create`, creates the folders of a SQLite file and of backups. */
export async function start({ create }: { readonly create?: true }): Promise<void> {
  const config = readConfig(process.env);
  // On stderr. Output for people goes to stdout.
  const format = config.logFormat ?? (process.stderr.isTTY ? 'text' : 'json');
  const log = openLogDestination(undefined, format === 'text' ? toText : undefined);
  const logger = createLogger(config.logLevel, log, format);
  for (const name of findUnknownSettings(process.env)) {
    logger.warn({ name }, 'unknown setting in the environment');
  }
  const file = findDatabaseFile(config.databaseUrl);
  try {
    if (create && file !== undefined) mkdirSync(dirname(file), { recursive: true });
  } catch (cause) {
    throw unusable(config.databaseUrl, cause);
  }
  const backups =
    config.backups &&
    openScheduledBackups({ ...config.backups, clock: Date.now, logger, create, createBackup });
  const backupService =
    backups &&
    periodicService({
      everyMs: backupCheckMs,
      tick: (signal) => backups.runIfDue(signal),
      onError: (err) => logger.error({ err }, 'backup failed'),
    });
  const server = createServer({
    ...config,
    logger,
    droppedLogLines: log.dropped,
    ...(backups && { backupFigures: backups.figures }),
    isThreaded: true,
  });
  process.stdout.on('error', (err) => logger.warn({ err }, 'stdout cannot be written'));
  // Installed before the start: a signal during the start takes effect after it. Further signals change
  // nothing: npm and wrappers repeat those that the terminal or a supervisor sends to all processes.
  const signal = new Promise<string>((resolve) => {
    for (const name of stopSignals) process.on(name, () => resolve(name));
  });
  try {
    await server.start();
  } catch (error) {
    // If they are stored already, no later start shows them.
    process.stdout.write(describeCredentials(server));
    throw error;
  }
  keepServing(server.noteUncaughtError);
  process.stdout.write(welcome(server, config.dashboard));
  logger.info({ version, url: server.url, adminUrl: server.adminUrl }, 'listening');
  backupService?.start();
  if (file !== undefined) deleteAbandonedFolders(dirname(file), Date.now());
  await collectGarbage();
  collectGarbageWhenIdle('main');
  logger.info({ signal: await signal }, 'stopping');
  const forceStop = setTimeout(() => {
    // Acknowledged writes and visits are in storage or in the journal, which the next start reads.
    logger.warn({ stopWithinMs }, 'stop took too long; ending the process');
    endByForce();
  }, stopWithinMs);
  await Promise.all([backupService?.stop(), server.stop()]).catch((err: unknown) => {
    logger.error({ err }, 'stop failed');
    process.exitCode = 1;
  });
  clearTimeout(forceStop);
  logger.info('stopped');
  // Runs only if something keeps the event loop alive: a hanging thread, or a reader of the log.
  setTimeout(endByForce, exitWithinMs).unref();
}

/** Creates a backup with the command, because a copy blocks its thread. */
async function createBackup(path: string, signal: AbortSignal): Promise<void> {
  const args = [process.argv[1] as string, 'backup', path];
  await promisify(execFile)(process.execPath, args, { signal, killSignal: 'SIGKILL' }).catch(
    ({ stderr, message }) => {
      throw new Error(stderr?.trim() || message);
    },
  );
}

const threads = new Set<Worker>();
process.on('worker', (thread) => {
  threads.add(thread);
  thread.once('exit', () => threads.delete(thread));
});

/** Exits with 0, unless native code blocks a thread: the exit would wait for it. */
function endByForce(): void {
  for (const thread of threads) void thread.terminate();
  setTimeout(() => {
    if (threads.size > 0) process.kill(process.pid, 'SIGKILL');
    process.exit();
  }, exitWithinMs);
}

/**
 * Continues after an uncaught error, such as a throw in a timer, so that one request cannot end the
 * process. `note` counts and logs the error. Call this once the server listens, because an error
 * during the start must end the process.
 */
export function keepServing(note: (error: unknown) => void): void {
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
}

const example = 'examples/links.csv';

function welcome(
  { url, credentials, apiKey, invitationUrl }: ShortyServer,
  hasDashboard: boolean,
): string {
  // Elsewhere, npx would run the package of a stranger.
  const npx = existsSync('node_modules/.bin/shorty') ? 'npx ' : '';
  const signIn =
    credentials && apiKey
      ? `export SHORTY_BASE_URL=${url} SHORTY_CLIENT_ID=${credentials.clientId} SHORTY_CLIENT_SECRET=${credentials.clientSecret}`
      : `${npx}shorty login --base-url ${url}   # lost the secret? ${npx}shorty-server clients create --org default`;
  // A clone has the examples, an installed package does not.
  const last = existsSync(example) ? `urls bulk-create ${example}` : 'analytics overview';
  const invitation =
    invitationUrl &&
    `
To sign in with a browser, open this link until tomorrow. It works once:
  ${invitationUrl}
`;
  return `
Shorty is listening on ${url}
${hasDashboard ? `The dashboard is at ${url}/dashboard/\n` : ''}${describeCredentials({ credentials, apiKey })}${invitation ?? ''}
Try next, in another terminal:
  ${signIn}
  ${npx}shorty urls create https://example.com
  ${npx}shorty ${last}

`;
}

/** Returns an empty text unless this start has generated credentials. */
function describeCredentials({
  credentials,
  apiKey,
}: Pick<ShortyServer, 'credentials' | 'apiKey'>): string {
  if (!credentials || !apiKey) return '';
  return `
Credentials of the default organization. They are shown only now:
  client id      ${credentials.clientId}
  client secret  ${credentials.clientSecret}
  API key        ${apiKey}   (SHORTY_API_KEY)
`;
}
