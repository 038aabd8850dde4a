import type { Logger } from 'pino';
import type { Credentials } from './auth/client-repository.js';
import type { Config } from './config.js';
import type { BackupFigures } from './health/server-metrics.js';
import type { TimeLimits } from './http/create-http-server.js';
import type { PlanTable } from './organizations/plans.js';
import type { Clock, ResolveTxt } from './ports.js';
import type { Database } from './storage/database.js';

export interface ServerOptions extends Partial<Config> {
  /** Returns milliseconds since 1970. Tests pass their own clock. */
  readonly clock?: Clock;
  /** True uses worker threads. Requires the build and a database that is not in memory. */
  readonly isThreaded?: boolean;
  readonly logger?: Logger;
  /** Returns the number of lines that the logger dropped, for `/metrics`. */
  readonly droppedLogLines?: () => number;
  /** Returns what the scheduled backups did, for `/metrics`. */
  readonly backupFigures?: () => BackupFigures;
  /** Tests pass shorter limits for slow clients. */
  readonly timeLimits?: Partial<TimeLimits>;
  /** The quotas and prices of the plans; by default `standardPlans`. */
  readonly plans?: PlanTable;
  /** Looks up TXT records. Tests pass their own function. */
  readonly resolveTxt?: ResolveTxt;
}

export interface ShortyServer {
  /** The API's public origin without a trailing slash. Empty before the start. */
  readonly url: string;
  /**
   * The origin of the operator routes' listener, or the path of its Unix socket. Undefined without
   * `adminListen`, and before the start.
   */
  readonly adminUrl: string | undefined;
  /** The credentials that this start generated for an empty database; otherwise undefined. */
  readonly credentials: Credentials | undefined;
  /** The API key that this start generated for an empty database without configured credentials. */
  readonly apiKey: string | undefined;
  /** The link that sets the password of the first owner, if this start created the database. */
  readonly invitationUrl: string | undefined;
  readonly database: Database;
  /** Migrates the database and listens. */
  start(): Promise<void>;
  /** Stops accepting connections, finishes the requests in progress and closes. May be called twice. */
  stop(): Promise<void>;
  /**
   * Counts and logs an uncaught error, for a program that continues after one:
   * `process.on('uncaughtException', server.noteUncaughtError)`. Never throws.
   */
  readonly noteUncaughtError: (error: unknown) => void;
  /** Deactivates expired links, as the server does every second, and returns their number. */
  expireUrls(): Promise<number>;
  /** Checks the targets of all links, as the server does once a day with `safeDns`, unless it has today. */
  checkTargets(): Promise<void>;
}
