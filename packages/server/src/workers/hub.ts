import { AttemptLimiter } from '../auth/attempt-limiter.js';
import type { ProcessMetrics } from '../health/merge-metrics.js';
import { type Channel, ChannelClosedError } from './channel.js';
import type { Attempt, PrimaryAnswers, ProcessAnswers, Role, TakenAttempt } from './messages.js';
import type { Changed } from './shared-caches.js';

/** A process that has been started and has not ended. */
export interface Member {
  readonly role: Role;
  /** What metrics call it. */
  readonly name: string;
  readonly channel: Channel<ProcessAnswers, PrimaryAnswers>;
  /** Ends it at once, whatever it is doing. */
  kill(): void;
}

export interface HubOptions {
  /** How long a member may take to answer before it is ended. */
  readonly patienceMs: number;
  readonly onUnresponsive: (member: Member) => void;
}

/** What the processes of a server know together, and pass on to each other through the primary. */
export class Hub {
  readonly #options: HubOptions;
  /** Those that answer requests, and may have something cached. */
  readonly #workers = new Set<Member>();
  #keeper: Member | undefined;
  #keptUntil = performance.now();
  readonly #limiters = new Map<string, AttemptLimiter>();

  constructor(options: HubOptions) {
    this.#options = options;
  }

  join(member: Member): void {
    if (member.role === 'worker') this.#workers.add(member);
    else this.#keeper = member;
  }

  /** A member has ended. One that was killed may have changed what the others have cached. */
  leave(member: Member, { isClean }: { readonly isClean: boolean }): void {
    this.#workers.delete(member);
    if (this.#keeper === member) {
      this.#keeper = undefined;
      this.#keptUntil = performance.now();
    }
    if (isClean) return;
    for (const { channel } of this.#workers) channel.tell('forgetEverything', null);
    this.#keeper?.channel.tell('adopt', null);
  }

  /** Resolves when every other worker has let go. */
  async changed(from: Member, changed: Changed): Promise<void> {
    const others = [...this.#workers].filter((member) => member !== from);
    await Promise.all(
      others.map((member) => this.#patiently(member, member.channel.ask('forget', changed))),
    );
  }

  takeAttempt({ guesser, now, isRight, ...attempt }: TakenAttempt): number {
    return this.#limiterOf(attempt).take(guesser, now, isRight);
  }

  giveBackAttempt({ guesser, ...attempt }: Attempt): void {
    this.#limiterOf(attempt).giveBack(guesser);
  }

  async metrics(from: Member): Promise<readonly ProcessMetrics[]> {
    const all = this.#keeper ? [...this.#workers, this.#keeper] : [...this.#workers];
    const others = all.filter((member) => member !== from);
    return Promise.all(
      others.map(async (member) => ({
        process: member.name,
        text: (await this.#patiently(member, member.channel.ask('metrics', null))) ?? '',
      })),
    );
  }

  async dispatcherIdleMs(): Promise<number> {
    const keeper = this.#keeper;
    const told =
      keeper && (await this.#patiently(keeper, keeper.channel.ask('dispatcherIdleMs', null)));
    return told ?? performance.now() - this.#keptUntil;
  }

  wake(): void {
    this.#keeper?.channel.tell('wake', null);
  }

  /**
   * Waits for a member, but not for ever. One that does not answer might go on serving what it has
   * cached after the others were told that it had let go, so it is ended.
   */
  async #patiently<T>(member: Member, answer: Promise<T>): Promise<T | undefined> {
    const { patienceMs, onUnresponsive } = this.#options;
    const timer = setTimeout(() => {
      onUnresponsive(member);
      member.kill();
    }, patienceMs);
    try {
      return await answer;
    } catch (error) {
      // What has ended has forgotten everything, and has nothing more to tell.
      if (error instanceof ChannelClosedError) return undefined;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #limiterOf({ name, limit }: Pick<Attempt, 'name' | 'limit'>): AttemptLimiter {
    let limiter = this.#limiters.get(name);
    if (!limiter) {
      limiter = new AttemptLimiter(limit);
      this.#limiters.set(name, limiter);
    }
    return limiter;
  }
}
