export interface FairQueueOptions {
  readonly name: string;
  /** The maximum number of tasks that run at once. */
  readonly concurrency: number;
  /** The maximum number of running tasks of one organization; by default `concurrency`. */
  readonly maxRunningPerOrganization?: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerOrganization: number;
}

/** A queue refused a task because it is full. A retry may succeed. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  readonly queue: string;
  readonly retryAfterSeconds = 2;

  constructor(queue: string, reason: string) {
    super(`${queue}: ${reason}`);
    this.queue = queue;
  }
}

/** A queue was closed before it ran the task. */
export class QueueClosedError extends Error {
  override readonly name = 'QueueClosedError';
}

interface Task {
  readonly queuedAt: number;
  run(): Promise<void>;
  reject(error: Error): void;
}

interface Turns {
  readonly waiting: Task[];
  running: number;
}

// A task that waited longer is refused, because its client has timed out.
const maxWaitMs = 20_000;

/**
 * Shares a bounded resource between organizations in round robin, independent of how many tasks each of
 * them has queued. The number of waiting tasks is limited per organization and in total. Beyond the
 * total, only organizations with less than an equal share may queue tasks.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** The organization that had the last turn comes last. */
  readonly #organizations = new Map<string, Turns>();
  #waiting = 0;
  #running = 0;
  #refused = 0;
  #isClosed = false;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** `refused` counts tasks for which the queue was full, and tasks that had waited too long. */
  get figures() {
    return { running: this.#running, waiting: this.#waiting, refused: this.#refused };
  }

  /** Queues a task and returns its result. Throws a QueueFullError or a QueueClosedError. */
  async run<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw this.#closed();
    this.assertCapacity(organizationId, 1);
    const own = this.#organizations.get(organizationId) ?? { waiting: [], running: 0 };
    this.#organizations.set(organizationId, own);
    const queuedAt = performance.now();
    return new Promise<T>((resolve, reject) => {
      own.waiting.push({ queuedAt, run: () => work().then(resolve, reject), reject });
      this.#waiting += 1;
      this.#startTasks();
    });
  }

  /**
   * Throws a QueueFullError if `count` tasks would be refused now. Callers check this before they
   * prepare the tasks, because a refused request must be cheap.
   */
  assertCapacity(organizationId: string, count: number): void {
    if (count === 0) return;
    const { name, maxWaiting, maxWaitingPerOrganization } = this.#options;
    const own = this.#organizations.get(organizationId)?.waiting.length ?? 0;
    // An empty queue accepts a batch of any size; the API limits batches.
    const isOwnFull = own > 0 && own + count > maxWaitingPerOrganization;
    const isFull =
      this.#waiting > 0 &&
      this.#waiting + count > maxWaiting &&
      own + count > this.#equalShare(own === 0);
    if (!isOwnFull && !isFull) return;
    this.#refused += 1;
    const [waiting, whose] = isOwnFull ? [own, ' of this organization'] : [this.#waiting, ''];
    throw new QueueFullError(
      name,
      `${waiting} tasks${whose} are waiting, and ${count} more exceed the limit of ` +
        `${isOwnFull ? maxWaitingPerOrganization : maxWaiting}`,
    );
  }

  /** Refuses all waiting and future tasks. Running tasks continue. */
  close(): void {
    this.#isClosed = true;
    for (const { waiting } of this.#organizations.values()) {
      for (const task of waiting.splice(0)) task.reject(this.#closed());
    }
    this.#waiting = 0;
  }

  /**
   * Returns how many tasks each organization may queue if all of them share the queue equally. A full
   * queue accepts tasks up to that number, so that a few organizations cannot exclude another one.
   */
  #equalShare(withNewOne: boolean): number {
    const waiting = [...this.#organizations.values()].filter((each) => each.waiting.length > 0);
    const organizations = waiting.length + (withNewOne ? 1 : 0);
    return Math.max(1, Math.floor(this.#options.maxWaiting / organizations));
  }

  #closed(): QueueClosedError {
    return new QueueClosedError(`${this.#options.name}: the server is stopping`);
  }

  #startTasks(): void {
    const { concurrency, maxRunningPerOrganization = concurrency } = this.#options;
    for (const [organizationId, own] of this.#organizations) {
      if (this.#waiting === 0 || this.#running >= concurrency) return;
      const task = own.running < maxRunningPerOrganization ? own.waiting.shift() : undefined;
      if (!task) continue;
      this.#waiting -= 1;
      if (performance.now() - task.queuedAt > maxWaitMs) {
        this.#refused += 1;
        task.reject(new QueueFullError(this.name, `the task has waited for ${maxWaitMs} ms`));
      } else void this.#run(task, own, organizationId);
      // The loop comes to it again, after the others.
      this.#passOn(organizationId, own);
    }
  }

  async #run(task: Task, own: Turns, organizationId: string): Promise<void> {
    this.#running += 1;
    own.running += 1;
    await task.run();
    this.#running -= 1;
    own.running -= 1;
    this.#passOn(organizationId, own);
    this.#startTasks();
  }

  /** Moves an organization behind the others, or forgets it when it has no tasks. */
  #passOn(organizationId: string, own: Turns): void {
    this.#organizations.delete(organizationId);
    if (own.running > 0 || own.waiting.length > 0) this.#organizations.set(organizationId, own);
  }
}
