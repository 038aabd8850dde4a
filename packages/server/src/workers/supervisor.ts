import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Credentials } from '../auth/auth-service.js';
import type { Config } from '../config.js';
import { createFirstOrganization } from '../organizations/create-first-organization.js';
import { openStorage } from '../storage/open-storage.js';
import { Hub } from './hub.js';
import { MemberProcess } from './member-process.js';
import type { Role } from './messages.js';
import { restartDelayMs, soundAfterMs } from './restart-delay.js';

/** A place among the server's processes that is taken again when its process ends. */
interface Seat {
  readonly role: Role;
  readonly name: string;
  member: MemberProcess | undefined;
  /** Ends in a row that came soon after the start. */
  soonEnds: number;
  restart: NodeJS.Timeout | undefined;
}

export interface SupervisorOptions {
  readonly config: Config;
  readonly logger: Logger;
}

const patienceMs = 5_000;
// What has not stopped by itself then is ended, so that a stop takes less than ten seconds.
const stopWithinMs = 9_500;

/**
 * A server of several processes: workers that answer requests on one port, and a keeper that does
 * what is to be done once. This process answers nothing; it starts the others, and starts anew what
 * ends. When it ends itself, however that is, the others notice and end as well.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #hub: Hub;
  readonly #keeper: Seat = newSeat('keeper', 'keeper');
  readonly #workers: readonly Seat[];
  #credentials: Credentials | undefined;
  #url = '';
  #port: number;
  #isStopping = false;

  constructor(options: SupervisorOptions) {
    const { config, logger } = options;
    this.#options = options;
    this.#port = config.port;
    this.#workers = Array.from({ length: config.workers }, (_, at) =>
      newSeat('worker', String(at + 1)),
    );
    this.#hub = new Hub({
      patienceMs,
      onUnresponsive: ({ name }) =>
        logger.error({ process: name }, `a process has not answered for ${patienceMs} ms`),
    });
  }

  /** The API's public origin, without a slash at the end. Known once the server has started. */
  get url(): string {
    return this.#url;
  }

  /** Credentials that this start has made for an empty database; undefined for any other. */
  get credentials(): Credentials | undefined {
    return this.#credentials;
  }

  /** Brings storage up to date, and resolves when every process has started. */
  async start(): Promise<void> {
    // Each worker accepts from the socket itself. Passed on by this process, connections that are on
    // their way to a worker that is killed would be answered by nobody, and never be closed.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    await this.#prepareStorage();
    const [url = ''] = await Promise.all(this.#workers.map((seat) => this.#open(seat)));
    this.#url = url;
    // One that was chosen by the system, where the setting is 0.
    this.#port = this.#workers[0]?.member?.port ?? this.#port;
    await this.#open(this.#keeper);
  }

  /** The workers finish their requests first; what they leave is the keeper's. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const seats = [...this.#workers, this.#keeper];
    for (const { restart } of seats) clearTimeout(restart);
    const cutOff = setTimeout(() => {
      for (const { name, member } of seats) {
        if (!member) continue;
        this.#options.logger.error({ process: name }, 'a process did not stop in time');
        member.kill();
      }
    }, stopWithinMs);
    await Promise.all(this.#workers.map(end));
    await end(this.#keeper);
    clearTimeout(cutOff);
  }

  async #prepareStorage(): Promise<void> {
    const { config } = this.#options;
    const database = openStorage(config);
    try {
      await database.migrate();
      this.#credentials = await createFirstOrganization(database, config, Date.now);
    } finally {
      await database.close();
    }
  }

  /** Takes a seat, and has it taken again from then on. */
  async #open(seat: Seat): Promise<string> {
    const member = this.#fork(seat);
    const url = await member.started;
    void this.#watch(seat, member);
    return url;
  }

  async #watch(seat: Seat, member: MemberProcess): Promise<void> {
    const end = await member.ended;
    if (this.#isStopping) return;
    const livedMs = performance.now() - member.startedAt;
    seat.soonEnds = livedMs < soundAfterMs ? seat.soonEnds + 1 : 0;
    const inMs = restartDelayMs(seat.soonEnds);
    const { name, pid } = member;
    this.#options.logger.error(
      { process: name, ended: pid, ...end, inMs },
      'a process is replaced',
    );
    seat.restart = setTimeout(() => this.#reopen(seat), inMs);
  }

  #reopen(seat: Seat): void {
    const member = this.#fork(seat);
    const { logger } = this.#options;
    member.started.then(
      () => logger.info({ process: seat.name, started: member.pid }, 'a process has started anew'),
      (err) => logger.error({ process: seat.name, err }, 'a process could not start'),
    );
    void this.#watch(seat, member);
  }

  #fork(seat: Seat): MemberProcess {
    const { role, name } = seat;
    const { logger } = this.#options;
    const member = new MemberProcess({
      role,
      name,
      hub: this.#hub,
      // The keeper names links by the port that the system has chosen.
      environment: role === 'keeper' ? { PORT: String(this.#port) } : {},
      onError: (err) => logger.error({ process: name, err }, 'a process could not be answered'),
    });
    seat.member = member;
    void member.ended.then(({ code }) => {
      seat.member = undefined;
      this.#hub.leave(member, { isClean: code === 0 });
    });
    return member;
  }
}

function newSeat(role: Role, name: string): Seat {
  return { role, name, member: undefined, soonEnds: 0, restart: undefined };
}

async function end({ member }: Seat): Promise<void> {
  member?.stop();
  await member?.ended;
}
