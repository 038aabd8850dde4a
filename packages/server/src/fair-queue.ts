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
  readonly retryAfterSeconds = retryAfterSeconds;

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
  readonly organizationId: string;
  readonly queuedAt: number;
  run(): Promise<void>;
  reject(error: Error): void;
}

const retryAfterSeconds = 2;
// A task that waited longer is refused, because its client has timed out.
const maxWaitMs = 20_000;

/**
 * Shares a bounded resource between organizations in round robin, independent of how many tasks each of
 * them has queued. The number of waiting tasks is limited per organization and in total. Beyond the
 * total, only organizations with less than an equal share may queue tasks.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** The waiting tasks by organization. The organization that ran a task last comes last. */
  readonly #tasks = new Map<string, Task[]>();
  #waiting = 0;
  #lastOrganization: string | undefined;
  readonly #runningOf = new Map<string, number>();
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
    const [result] = await this.runAll(organizationId, [work]);
    return result as T;
  }

  /** Queues several tasks and returns their results. Refuses all of them if it cannot take all. */
  runAll<T>(organizationId: string, works: readonly (() => Promise<T>)[]): Promise<T[]> {
    if (this.#isClosed) return Promise.reject(this.#closed());
    const refusal = this.#refusal(organizationId, works.length);
    if (refusal) return Promise.reject(refusal);
    const outcomes = works.map(
      (work) =>
        new Promise<T>((resolve, reject) => {
          this.#add({
            organizationId,
            queuedAt: performance.now(),
            run: () => work().then(resolve, reject),
            reject,
          });
        }),
    );
    this.#startTasks();
    return Promise.all(outcomes);
  }

  /**
   * Throws a QueueFullError if `count` tasks would be refused now. Callers check this before they
   * prepare the tasks, because a refused request must be cheap.
   */
  assertCapacity(organizationId: string, count: number): void {
    const refusal = count > 0 ? this.#refusal(organizationId, count) : undefined;
    if (refusal) throw refusal;
  }

  /** Refuses all waiting and future tasks. Running tasks continue. */
  close(): void {
    this.#isClosed = true;
    const waiting = [...this.#tasks.values()].flat();
    this.#tasks.clear();
    this.#waiting = 0;
    for (const task of waiting) task.reject(this.#closed());
  }

  #add(task: Task): void {
    const own = this.#tasks.get(task.organizationId);
    if (own) own.push(task);
    else this.#tasks.set(task.organizationId, [task]);
    this.#waiting += 1;
  }

  #refusal(organizationId: string, count: number): QueueFullError | undefined {
    const { name, maxWaiting, maxWaitingPerOrganization } = this.#options;
    const own = this.#tasks.get(organizationId)?.length ?? 0;
    // An empty queue accepts a batch of any size; the API limits batches.
    const isOwnFull = own > 0 && own + count > maxWaitingPerOrganization;
    const isFull =
      this.#waiting > 0 &&
      this.#waiting + count > maxWaiting &&
      own + count > this.#equalShareOf(organizationId);
    if (!isOwnFull && !isFull) return undefined;
    this.#refused += 1;
    const [waiting, whose] = isOwnFull ? [own, ' of this organization'] : [this.#waiting, ''];
    return new QueueFullError(
      name,
      `${waiting} tasks${whose} are waiting, and ${count} more exceed the limit of ` +
        `${isOwnFull ? maxWaitingPerOrganization : maxWaiting}`,
    );
  }

  /**
   * Returns how many tasks each organization may queue if all of them share the queue equally. A full
   * queue accepts tasks up to that number, so that a few organizations cannot exclude another one.
   */
  #equalShareOf(organizationId: string): number {
    const organizations = this.#tasks.size + (this.#tasks.has(organizationId) ? 0 : 1);
    return Math.max(1, Math.floor(this.#options.maxWaiting / organizations));
  }

  #closed(): QueueClosedError {
    return new QueueClosedError(`${this.#options.name}: the server is stopping`);
  }

  #startTasks(): void {
    while (this.#running < this.#options.concurrency) {
      const task = this.#next();
      if (!task) return;
      if (performance.now() - task.queuedAt > maxWaitMs) {
        this.#refused += 1;
        const reason = `the task has waited for ${maxWaitMs} ms`;
        task.reject(new QueueFullError(this.name, reason));
      } else void this.#run(task);
    }
  }

  /** Removes and returns the next task. The organization that had the last turn comes after the others. */
  #next(): Task | undefined {
    const { maxRunningPerOrganization: maxRunning = Number.POSITIVE_INFINITY } = this.#options;
    let isPassed = false;
    for (const [organizationId, tasks] of this.#tasks) {
      if ((this.#runningOf.get(organizationId) ?? 0) >= maxRunning) continue;
      this.#tasks.delete(organizationId);
      if (organizationId === this.#lastOrganization && !isPassed) {
        // The loop visits it again, as the last one.
        isPassed = true;
        this.#tasks.set(organizationId, tasks);
        continue;
      }
      const task = tasks.shift();
      if (tasks.length > 0) this.#tasks.set(organizationId, tasks);
      this.#waiting -= 1;
      this.#lastOrganization = organizationId;
      return task;
    }
    return undefined;
  }

  async #run(task: Task): Promise<void> {
    const { organizationId } = task;
    this.#running += 1;
    this.#runningOf.set(organizationId, (this.#runningOf.get(organizationId) ?? 0) + 1);
    await task.run();
    this.#running -= 1;
    const own = (this.#runningOf.get(organizationId) ?? 0) - 1;
    if (own > 0) this.#runningOf.set(organizationId, own);
    else this.#runningOf.delete(organizationId);
    this.#startTasks();
  }
}
