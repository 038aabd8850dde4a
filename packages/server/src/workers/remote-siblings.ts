import type { AttemptLimit, AttemptLimits } from '../auth/attempt-limiter.js';
import { mergeMetrics } from '../health/merge-metrics.js';
import { TurnBatch } from '../turn-batch.js';
import { Channel, type Line } from './channel.js';
import type { PrimaryAnswers, ProcessAnswers, Role } from './messages.js';
import { type Changed, joinChanges } from './shared-caches.js';
import type { OwnPart, Siblings } from './siblings.js';

export interface RemoteSiblingsOptions {
  readonly role: Role;
  /** How many processes answer requests. */
  readonly workers: number;
  /** What metrics call this process. */
  readonly name: string;
  /** To the primary. */
  readonly line: Line;
  readonly onStop: () => void;
  readonly onError: (error: unknown) => void;
}

interface Announcement {
  readonly changed: Changed;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The siblings of a process that a primary has started: everything goes through the primary. */
export class RemoteSiblings implements Siblings {
  readonly workers: number;
  readonly serves: boolean;
  readonly keeps: boolean;
  readonly primary: Channel<PrimaryAnswers, ProcessAnswers>;
  readonly #name: string;
  #part: OwnPart | undefined;
  // Writes of one turn share a commit; so do their announcements.
  readonly #announcements = new TurnBatch<Announcement>((waiting) => this.#announce(waiting));
  // However many deliveries a turn makes, the dispatcher wakes once.
  readonly #rings = new TurnBatch<null>(() => this.primary.tell('wake', null));

  constructor({ role, workers, name, line, onStop, onError }: RemoteSiblingsOptions) {
    this.workers = workers;
    this.serves = role === 'worker';
    this.keeps = role === 'keeper';
    this.#name = name;
    this.primary = new Channel<PrimaryAnswers, ProcessAnswers>(
      line,
      {
        forget: (changed) => this.#part?.forget(changed),
        forgetEverything: () => this.#part?.forgetEverything(),
        metrics: async () => (await this.#part?.metrics()) ?? '',
        dispatcherIdleMs: () => this.#part?.dispatcherIdleMs() ?? 0,
        wake: () => this.#part?.wakeDispatcher(),
        adopt: () => this.#part?.adoptLeftovers(),
        stop: onStop,
      },
      onError,
    );
  }

  readonly tellChanged = (changed: Changed): Promise<void> =>
    new Promise((resolve, reject) => this.#announcements.add({ changed, resolve, reject }));

  async join(part: OwnPart): Promise<void> {
    this.#part = part;
    await this.primary.ask('join', null);
  }

  limiter(name: string, limit: AttemptLimit): AttemptLimits {
    return {
      take: (guesser, now, isRight = false) =>
        this.primary.ask('takeAttempt', { name, limit, guesser, now, isRight }),
      giveBack: (guesser) => this.primary.tell('giveBackAttempt', { name, limit, guesser }),
    };
  }

  wakeDispatcher(): void {
    this.#rings.add(null);
  }

  dispatcherIdleMs(own: () => number): number | Promise<number> {
    return this.keeps ? own() : this.primary.ask('dispatcherIdleMs', null);
  }

  async metrics(own: () => Promise<string>): Promise<string> {
    const [text, others] = await Promise.all([own(), this.primary.ask('metrics', null)]);
    return mergeMetrics([{ process: this.#name, text }, ...others]);
  }

  #announce(waiting: readonly Announcement[]): void {
    this.primary.ask('changed', joinChanges(waiting.map(({ changed }) => changed))).then(
      () => {
        for (const { resolve } of waiting) resolve();
      },
      (error) => {
        for (const { reject } of waiting) reject(error);
      },
    );
  }
}
