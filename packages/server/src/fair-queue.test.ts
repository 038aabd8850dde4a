import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openFairQueue, QueueClosedError, QueueFullError } from './fair-queue.js';

function open(options: Partial<Parameters<typeof openFairQueue>[0]> = {}) {
  const limits = { concurrency: 1, maxWaiting: 100, maxWaitingPerOrganization: 50 };
  const queue = openFairQueue({ name: 'drawings', ...limits, ...options });
  const order: string[] = [];
  /** Queues a task that takes some turns of the event loop. */
  const run = (organizationId: string) =>
    queue.run(organizationId, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(organizationId);
    });
  const many = (count: number, organizationId: string) =>
    Promise.all(Array.from({ length: count }, () => run(organizationId)));
  return { queue, order, run, many };
}

describe('a fair queue', () => {
  it('serves organizations in round robin', async () => {
    const { order, many } = open();
    await Promise.all([many(4, 'a'), many(3, 'b'), many(2, 'c')]);
    expect(order.join('')).toBe('abcabcaba');
  });

  it('limits the running tasks of one organization, and runs those of others meanwhile', async () => {
    const { queue } = open({ concurrency: 2, maxRunningPerOrganization: 1 });
    let release = () => {};
    const hanging = new Promise<void>((resolve) => {
      release = resolve;
    });
    const order: string[] = [];
    const first = queue.run('a', () => hanging);
    const second = queue.run('a', async () => order.push('a'));
    await queue.run('b', async () => order.push('b'));
    await queue.run('c', async () => order.push('c'));
    expect(queue.figures).toEqual({ running: 1, waiting: 1, refused: 0 });
    release();
    await Promise.all([first, second]);
    expect(order).toEqual(['b', 'c', 'a']);
  });

  it('frees the slot of a task that throws before it returns a promise', async () => {
    const { queue, run } = open();
    const failing = queue.run('a', () => {
      throw new Error('no promise');
    });
    await expect(failing).rejects.toThrow('no promise');
    await run('a');
    expect(queue.figures).toMatchObject({ running: 0, waiting: 0 });
  });

  it('refuses tasks beyond an organization’s limit, and accepts those of another organization', async () => {
    const { queue, many, run } = open({ maxWaitingPerOrganization: 5 });
    const waiting = many(6, 'a');
    const error = await run('a').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(QueueFullError);
    expect(error).toMatchObject({ retryAfterSeconds: 2 });
    expect((error as Error).message).toBe(
      'drawings: 5 tasks of this organization are waiting, and 1 more exceed the limit of 5',
    );
    expect(queue.figures).toEqual({ running: 1, waiting: 5, refused: 1 });
    await run('b');
    await waiting;
    await run('a');
  });

  it('admits tasks of an organization up to its equal share when others have filled the queue', async () => {
    const { queue, order, many, run } = open({ maxWaiting: 6, maxWaitingPerOrganization: 3 });
    const waiting = Promise.all([many(4, 'a'), many(3, 'b')]);
    await expect(run('a')).rejects.toThrow(QueueFullError);
    const admitted = many(2, 'c');
    await expect(run('c')).rejects.toThrow('8 tasks are waiting, and 1 more exceed the limit of 6');
    expect(queue.figures.waiting).toBe(8);
    await admitted;
    expect(order.join('')).toBe('abcabc');
    await waiting;
  });

  it('refuses a task that has waited too long, and runs later ones', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { queue, run } = open();
    let release = () => {};
    const slow = queue.run(
      'a',
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    const late = run('b');
    vi.advanceTimersByTime(20_001);
    release();
    await expect(late).rejects.toThrow('drawings: the task has waited for 20000 ms');
    await slow;
    await run('b');
    expect(queue.figures).toEqual({ running: 0, waiting: 0, refused: 1 });
  });

  it('refuses waiting tasks when it is closed, and lets running ones finish', async () => {
    const { queue, run } = open();
    const [running, waiting] = [run('a'), run('b')];
    queue.close();
    await expect(waiting).rejects.toThrow(QueueClosedError);
    await expect(run('c')).rejects.toThrow(QueueClosedError);
    await running;
  });
});
