import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../config.js';
import { Channel } from './channel.js';
import type { Hub, Member } from './hub.js';
import type { PrimaryAnswers, ProcessAnswers, Role } from './messages.js';
import { lineOf } from './worker-line.js';

export interface MemberOptions {
  readonly role: Role;
  readonly name: string;
  readonly hub: Hub;
  /** Settings that differ from this process's own. */
  readonly environment: Readonly<Record<string, string>>;
  readonly onError: (error: unknown) => void;
}

export interface Ended {
  /** Null when a signal has ended it. */
  readonly code: number | null;
  readonly signal: string | null;
}

/** A process of the server, from its start to its end. */
export class MemberProcess implements Member {
  readonly role: Role;
  readonly name: string;
  readonly channel: Channel<ProcessAnswers, PrimaryAnswers>;
  /**
   * Resolves to the API's public origin. Rejects when the process ends before, with a ConfigError
   * where the operator can mend that.
   */
  readonly started: Promise<string>;
  readonly ended: Promise<Ended>;
  readonly startedAt = performance.now();
  readonly #worker: Worker;
  #port: number | undefined;

  constructor({ role, name, hub, environment, onError }: MemberOptions) {
    this.role = role;
    this.name = name;
    cluster.setupPrimary({
      exec: fileURLToPath(new URL('./server-worker.js', import.meta.url)),
      args: [role, name],
    });
    const worker = cluster.fork(environment);
    this.#worker = worker;
    let tellStarted: (url: string) => void = () => {};
    let tellFailed: (fault: Error) => void = () => {};
    this.started = new Promise((resolve, reject) => {
      tellStarted = resolve;
      tellFailed = reject;
    });
    this.channel = new Channel<ProcessAnswers, PrimaryAnswers>(
      lineOf(worker),
      {
        join: () => hub.join(this),
        started: (url) => tellStarted(url),
        failed: (reason) => tellFailed(new ConfigError(reason)),
        changed: (changed) => hub.changed(this, changed),
        takeAttempt: (attempt) => hub.takeAttempt(attempt),
        giveBackAttempt: (attempt) => hub.giveBackAttempt(attempt),
        metrics: () => hub.metrics(this),
        dispatcherIdleMs: () => hub.dispatcherIdleMs(),
        wake: () => hub.wake(),
      },
      onError,
    );
    worker.once('listening', ({ port }) => {
      this.#port = port;
    });
    this.ended = new Promise((resolve) => {
      worker.once('exit', (code: number | null, signal: string | null) => {
        this.channel.close();
        tellFailed(new Error(`${name} ended with ${signal ?? code} before it had started`));
        resolve({ code, signal });
      });
    });
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  /** Where it listens, if it does. */
  get port(): number | undefined {
    return this.#port;
  }

  stop(): void {
    this.channel.tell('stop', null);
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }
}
