import { describe, expect, it, vi } from 'vitest';
import { Channel } from '../../src/workers/channel.js';
import { Hub, type Member } from '../../src/workers/hub.js';
import type { PrimaryAnswers, ProcessAnswers, Role } from '../../src/workers/messages.js';
import { RemoteSiblings } from '../../src/workers/remote-siblings.js';
import { type Changed, SharedCaches } from '../../src/workers/shared-caches.js';
import { pairedLines } from './paired-lines.js';

/** A server of several processes, all of them in this one. */
function server({ patienceMs = 60_000 } = {}) {
  const unresponsive: string[] = [];
  const hub = new Hub({ patienceMs, onUnresponsive: ({ name }) => unresponsive.push(name) });
  const onError = (error: unknown) => {
    throw error;
  };

  async function join(role: Role, name: string) {
    const lines = pairedLines();
    const log: string[] = [];
    const siblings = new RemoteSiblings({
      role,
      workers: 2,
      name,
      line: lines.process,
      onStop: () => log.push('stop'),
      onError,
    });
    const caches = new SharedCaches(siblings.tellChanged);
    caches.add('urls', {
      invalidate: (ids) => log.push(`urls ${ids.join(' ')}`),
      clear: () => log.push('all urls'),
    });
    caches.add('hosts', {
      invalidate: () => log.push('hosts'),
      clear: () => log.push('all hosts'),
    });
    caches.add('pictures', {
      invalidate: (ids) => log.push(`pictures ${ids.join(' ')}`),
      clear: () => log.push('all pictures'),
    });
    const member: Member = {
      role,
      name,
      channel: new Channel<ProcessAnswers, PrimaryAnswers>(
        lines.primary,
        {
          join: () => hub.join(member),
          started: () => {},
          failed: () => {},
          changed: (changed: Changed) => hub.changed(member, changed),
          takeAttempt: (attempt) => hub.takeAttempt(attempt),
          giveBackAttempt: (attempt) => hub.giveBackAttempt(attempt),
          metrics: () => hub.metrics(member),
          dispatcherIdleMs: () => hub.dispatcherIdleMs(),
          wake: () => hub.wake(),
        },
        onError,
      ),
      kill: () => end({ isClean: false }),
    };
    const end = (how: { isClean: boolean }) => {
      member.channel.close();
      hub.leave(member, how);
    };
    const metrics = async () => `# TYPE visits counter\nvisits ${name.length}\n`;
    await siblings.join({
      forget: (changed) => caches.forgetHere(changed),
      forgetEverything: () => caches.clearHere(),
      metrics,
      dispatcherIdleMs: () => 12_345,
      wakeDispatcher: () => log.push('wake'),
      adoptLeftovers: () => log.push('adopt'),
    });
    return { siblings, caches, log, end, metrics, hold: lines.hold, member };
  }
  return { join, unresponsive };
}

const limit = { attempts: 3, windowMs: 1_000 };

describe('a change', () => {
  it('is over when every other worker has let go, and not before', async () => {
    const { join } = server();
    const [a, b, c, keeper] = [
      await join('worker', '1'),
      await join('worker', '2'),
      await join('worker', '3'),
      await join('keeper', 'keeper'),
    ];
    c.hold(true);
    let isOver = false;
    const change = Promise.resolve(a.caches.forget({ urls: [7] })).then(() => {
      isOver = true;
    });
    // Here it holds at once.
    expect(a.log).toEqual(['urls 7']);
    await vi.waitFor(() => expect(b.log).toEqual(['urls 7']));
    await b.siblings.limiter('x', limit).take('somebody', 0);
    expect(isOver).toBe(false);
    c.hold(false);
    await change;
    expect(c.log).toEqual(['urls 7']);
    expect(a.log).toEqual(['urls 7']);
    // It answers nobody, so it has nothing to forget.
    expect(keeper.log).toEqual([]);
  });

  it('is told together with the others of its turn', async () => {
    const { join } = server();
    const [a, b] = [await join('worker', '1'), await join('worker', '2')];
    await Promise.all([
      a.caches.forget({ urls: [1, 2] }),
      a.caches.forget({ urls: [2, 3] }),
      a.caches.forget({ pictures: ['p'] }),
      a.caches.forget({ hosts: [] }),
    ]);
    expect(b.log).toEqual(['urls 1 2 3', 'pictures p', 'hosts']);
  });

  it('does not wait for a worker that ends meanwhile', async () => {
    const { join } = server();
    const [a, b] = [await join('worker', '1'), await join('worker', '2')];
    b.hold(true);
    const change = a.caches.forget({ urls: [7] });
    await a.siblings.limiter('x', limit).take('somebody', 0);
    b.end({ isClean: true });
    await change;
  });

  it('ends a worker that does not let go in time, and goes on', async () => {
    const { join, unresponsive } = server({ patienceMs: 20 });
    const [a, b, c] = [
      await join('worker', '1'),
      await join('worker', '2'),
      await join('worker', '3'),
    ];
    b.hold(true);
    await a.caches.forget({ urls: [7] });
    expect(unresponsive).toEqual(['2']);
    expect(c.log).toContain('urls 7');
  });
});

describe('a worker that was killed', () => {
  it('may have changed what it told nobody: the others forget all, and the keeper adopts its visits', async () => {
    const { join } = server();
    const [a, b, keeper] = [
      await join('worker', '1'),
      await join('worker', '2'),
      await join('keeper', 'keeper'),
    ];
    b.end({ isClean: false });
    await vi.waitFor(() => expect(a.log).toEqual(['all urls', 'all hosts', 'all pictures']));
    await vi.waitFor(() => expect(keeper.log).toEqual(['adopt']));
    expect(b.log).toEqual([]);
  });

  it('is not mourned when it has stopped by itself', async () => {
    const { join } = server();
    const [a, b] = [await join('worker', '1'), await join('worker', '2')];
    b.end({ isClean: true });
    await a.siblings.limiter('x', limit).take('somebody', 0);
    expect(a.log).toEqual([]);
  });
});

describe('what processes share', () => {
  it('attempts count together, by their name', async () => {
    const { join } = server();
    const all = [await join('worker', '1'), await join('worker', '2')];
    const passwords = all.map(({ siblings }) => siblings.limiter('password', limit));
    const taken: number[] = [];
    for (let at = 0; at < 5; at += 1) {
      taken.push((await passwords[at % 2]?.take('guesser', 100)) ?? Number.NaN);
    }
    expect(taken).toEqual([0, 0, 0, 1_000, 1_000]);
    passwords[1]?.giveBack('guesser');
    expect(await passwords[1]?.take('guesser', 100, true)).toBe(0);
    expect(await passwords[1]?.take('guesser', 100)).toBe(0);
    expect(await passwords[0]?.take('guesser', 100, true)).toBe(1_000);
    expect(await all[0]?.siblings.limiter('token', limit).take('guesser', 100)).toBe(0);
  });

  it('the dispatcher is woken where it runs, once a turn', async () => {
    const { join } = server();
    const [a, keeper] = [await join('worker', '1'), await join('keeper', 'keeper')];
    for (let at = 0; at < 50; at += 1) a.siblings.wakeDispatcher();
    await vi.waitFor(() => expect(keeper.log).toEqual(['wake']));
    await a.siblings.limiter('x', limit).take('somebody', 0);
    expect(keeper.log).toEqual(['wake']);
    expect(a.log).toEqual([]);
  });

  it('how long webhooks have waited is told by the keeper, or by its absence', async () => {
    const { join } = server();
    const [a, keeper] = [await join('worker', '1'), await join('keeper', 'keeper')];
    const own = () => 1;
    expect(keeper.siblings.dispatcherIdleMs(own)).toBe(1);
    expect(await a.siblings.dispatcherIdleMs(own)).toBe(12_345);
    keeper.end({ isClean: false });
    const before = await a.siblings.dispatcherIdleMs(own);
    expect(before).toBeLessThan(12_345);
    await vi.waitFor(async () =>
      expect(await a.siblings.dispatcherIdleMs(own)).toBeGreaterThan(before),
    );
  });

  it('the figures of one are the figures of all, each with its name', async () => {
    const { join } = server();
    const a = await join('worker', '1');
    await join('worker', '22');
    await join('keeper', 'keeper');
    expect(await a.siblings.metrics(a.metrics)).toBe(
      '# TYPE visits counter\nvisits{process="1"} 1\nvisits{process="22"} 2\nvisits{process="keeper"} 6\n',
    );
  });
});
