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

export type FairQueue = ReturnType<typeof openFairQueue>;

/**
 * Shares a bounded resource between organizations in round robin, independent of how many tasks each of
 * them has queued. The number of waiting tasks is limited per organization and in total. Beyond the
 * total, only organizations with less than an equal share may queue tasks.
 */
export function openFairQueue(options: FairQueueOptions) {
  const { name, concurrency, maxWaiting, maxWaitingPerOrganization } = options;
  const { maxRunningPerOrganization = concurrency } = options;
  /** The organization that had the last turn comes last. */
  const organizations = new Map<string, Turns>();
  let waiting = 0;
  let running = 0;
  let refused = 0;
  let isClosed = false;
  const closedError = () => new QueueClosedError(`${name}: the server is stopping`);

  /**
   * Throws a QueueFullError if `count` tasks would be refused now. Callers check this before they
   * prepare the tasks, because a refused request must be cheap.
   */
  function assertCapacity(organizationId: string, count: number): void {
    if (count === 0) return;
    const own = organizations.get(organizationId)?.waiting.length ?? 0;
    // An empty queue accepts a batch of any size; the API limits batches.
    const isOwnFull = own > 0 && own + count > maxWaitingPerOrganization;
    const isFull =
      waiting > 0 && waiting + count > maxWaiting && own + count > equalShare(own === 0);
    if (!isOwnFull && !isFull) return;
    refused += 1;
    const [found, whose] = isOwnFull ? [own, ' of this organization'] : [waiting, ''];
    throw new QueueFullError(
      name,
      `${found} tasks${whose} are waiting, and ${count} more exceed the limit of ` +
        `${isOwnFull ? maxWaitingPerOrganization : maxWaiting}`,
    );
  }

  /**
   * Returns how many tasks each organization may queue if all of them share the queue equally. A full
   * queue accepts tasks up to that number, so that a few organizations cannot exclude another one.
   */
  function equalShare(withNewOne: boolean): number {
    const others = [...organizations.values()].filter((each) => each.waiting.length > 0);
    return Math.max(1, Math.floor(maxWaiting / (others.length + (withNewOne ? 1 : 0))));
  }

  function startTasks(): void {
    for (const [organizationId, own] of organizations) {
      if (waiting === 0 || running >= concurrency) return;
      const task = own.running < maxRunningPerOrganization ? own.waiting.shift() : undefined;
      if (!task) continue;
      waiting -= 1;
      if (performance.now() - task.queuedAt > maxWaitMs) {
        refused += 1;
        task.reject(new QueueFullError(name, `the task has waited for ${maxWaitMs} ms`));
      } else void runTask(task, own, organizationId);
      // The loop comes to it again, after the others.
      passOn(organizationId, own);
    }
  }

  async function runTask(task: Task, own: Turns, organizationId: string): Promise<void> {
    running += 1;
    own.running += 1;
    await task.run();
    running -= 1;
    own.running -= 1;
    passOn(organizationId, own);
    startTasks();
  }

  /** Moves an organization behind the others, or forgets it when it has no tasks. */
  function passOn(organizationId: string, own: Turns): void {
    organizations.delete(organizationId);
    if (own.running > 0 || own.waiting.length > 0) organizations.set(organizationId, own);
  }

  return {
    name,
    /** `refused` counts tasks for which the queue was full, and tasks that had waited too long. */
    get figures() {
      return { running, waiting, refused };
    },
    assertCapacity,
    /** Queues a task and returns its result. Throws a QueueFullError or a QueueClosedError. */
    async run<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
      if (isClosed) throw closedError();
      assertCapacity(organizationId, 1);
      const own = organizations.get(organizationId) ?? { waiting: [], running: 0 };
      organizations.set(organizationId, own);
      const queuedAt = performance.now();
      return new Promise<T>((resolve, reject) => {
        // Also when `work` throws before it returns a promise.
        const run = () => new Promise<T>((settle) => settle(work())).then(resolve, reject);
        own.waiting.push({ queuedAt, run, reject });
        waiting += 1;
        startTasks();
      });
    },
    /** Refuses all waiting and future tasks. Running tasks continue. */
    close(): void {
      isClosed = true;
      for (const own of organizations.values()) {
        for (const task of own.waiting.splice(0)) task.reject(closedError());
      }
      waiting = 0;
    },
  };
}
