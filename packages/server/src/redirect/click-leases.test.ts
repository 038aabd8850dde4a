import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StorageUnavailableError } from '../storage/database.js';
import { blockOf, ClickLeases, type LeaseChange, type LimitedLink } from './click-leases.js';

/** What storage knows of one link, with the arithmetic of `ClickLeaseRepository`. */
class Storage {
  max: number;
  counted = 0;
  readonly leases = new Map<Node, { clicks: number; changeId: string; granted: number }>();

  constructor(max: number) {
    this.max = max;
  }

  change(node: Node, { changeId, returned, wanted }: LeaseChange) {
    const own = this.leases.get(node);
    if (own?.changeId === changeId) {
      return { granted: own.granted, isUsedUp: false, isUnlimited: false };
    }
    const given = own ? returned : 0;
    let leased = 0;
    for (const { clicks } of this.leases.values()) leased += clicks;
    const others = [...this.leases.keys()].filter((each) => each !== node).length;
    const granted = blockOf(wanted, this.max - this.counted - leased + given, others + 1);
    const used = (own?.clicks ?? 0) - given;
    this.leases.set(node, { clicks: used + granted, changeId, granted });
    this.clean(node);
    const isUsedUp = granted === 0 && this.max - this.counted - used <= 0;
    return { granted, isUsedUp, isUnlimited: false };
  }

  clean(node: Node): void {
    if ((this.leases.get(node)?.clicks ?? 1) <= 0) this.leases.delete(node);
  }

  /** Stores the visits of a journal, and ends the leases of a process that has ended. */
  ingest(node: Node): void {
    const lease = this.leases.get(node);
    if (lease) lease.clicks -= node.journal;
    this.counted += node.journal;
    node.journal = 0;
    this.clean(node);
    if (node.isKilled) this.leases.delete(node);
  }
}

let ids = 0;

/** A process with its journal, which outlives it. */
class Node {
  /** Visits that were redirected and are not in storage yet. */
  journal = 0;
  redirected = 0;
  /** Visits that are neither redirected nor refused yet. */
  waiting = 0;
  usedUp = 0;
  unavailable = 0;
  isKilled = false;
  /** The fate of the next change: committed, failed, or committed without a response. */
  fate: 'works' | 'fails' | 'loses the response' = 'works';
  readonly leases: ClickLeases;
  link: LimitedLink;

  constructor(storage: Storage) {
    this.link = newLink();
    this.leases = new ClickLeases({
      change: async (change) => {
        const fate = this.fate;
        await Promise.resolve();
        if (this.isKilled || fate === 'fails') throw new StorageUnavailableError('no storage');
        const grant = storage.change(this, change);
        if (fate === 'loses the response') throw new StorageUnavailableError('lost');
        await Promise.resolve();
        return grant;
      },
      newId: () => String(++ids),
      monotonicMs: () => performance.now(),
      onError: (error) => {
        throw error;
      },
      maxWaitMs: 20,
      retryMs: 1,
    });
  }

  visit(): void {
    this.waiting += 1;
    this.leases.take(
      this.link,
      () => {
        this.waiting -= 1;
        // What happens after a kill never reaches the journal, and is not sent.
        if (this.isKilled) return;
        this.journal += 1;
        this.redirected += 1;
      },
      (reason) => {
        this.waiting -= 1;
        if (reason === 'used-up') this.usedUp += 1;
        else this.unavailable += 1;
      },
    );
  }
}

function newLink(): LimitedLink {
  return { urlId: 1, organizationId: 'o', clickLimit: { isUsedUp: false } };
}

/** Lets all promises settle that need no timer. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const step = fc.record({
  node: fc.nat(2),
  action: fc.constantFrom('visit', 'visits', 'ingest', 'return', 'kill', 'fails', 'lost', 'change'),
  value: fc.integer({ min: 1, max: 40 }),
  waits: fc.boolean(),
});

describe('clicks that several processes lease', () => {
  it('are never more than the limit, and all of them can be used after kills and failures', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.array(step, { maxLength: 60 }),
        async (max, steps) => {
          const storage = new Storage(max);
          const nodes = [0, 1, 2].map(() => new Node(storage));
          const all = [...nodes];
          const redirected = () => all.reduce((sum, node) => sum + node.redirected, 0);
          let bound = max;
          for (const { node: at, action, value, waits } of steps) {
            const node = nodes[at] as Node;
            node.fate = 'works';
            if (action === 'visit') node.visit();
            if (action === 'visits') for (let n = 0; n < value; n += 1) node.visit();
            if (action === 'ingest') storage.ingest(node);
            if (action === 'return') await node.leases.returnUnused();
            if (action === 'fails') node.fate = 'fails';
            if (action === 'lost') node.fate = 'loses the response';
            if (action === 'kill') {
              node.isKilled = true;
              nodes[at] = new Node(storage);
              all.push(nodes[at] as Node);
            }
            if (action === 'change') {
              // Visits that began before the change may be redirected after it.
              await settle();
              storage.max = value;
              // Each process reads the changed link before its next visit.
              for (const each of nodes) each.link = newLink();
              bound = Math.max(value, redirected());
            }
            if (waits) await settle();
            expect(redirected()).toBeLessThanOrEqual(Math.max(bound, storage.max));
          }
          // Afterwards, one process can use what is left.
          for (const node of nodes) node.fate = 'works';
          const idle = async () => {
            for (const node of nodes) await node.leases.returnUnused();
            for (const node of all) storage.ingest(node);
            const waiting = nodes.reduce((sum, node) => sum + node.waiting, 0);
            return storage.leases.size + waiting;
          };
          await expect.poll(idle, { interval: 1 }).toBe(0);
          const last = new Node(storage);
          all.push(last);
          const left = Math.max(0, storage.max - redirected());
          while (last.usedUp === 0) {
            last.visit();
            await settle();
            expect(last.redirected).toBeLessThanOrEqual(left);
          }
          expect(last.redirected).toBe(left);
          for (const node of all) await node.leases.stop();
        },
      ),
      { numRuns: 150 },
    );
  });

  it('are taken at once from a block, and asked for in growing blocks', async () => {
    const storage = new Storage(100_000);
    const node = new Node(storage);
    let changes = 0;
    const change = storage.change.bind(storage);
    storage.change = (...args) => {
      changes += 1;
      return change(...args);
    };
    for (let n = 0; n < 5_000; n += 1) {
      node.visit();
      if (n % 50 === 0) await settle();
    }
    await settle();
    expect(node.redirected).toBe(5_000);
    expect(changes).toBeLessThan(60);
  });

  it.each([1, 7, 300])('are as many after a pause as before it, such as %i', async (visits) => {
    const storage = new Storage(1_000_000);
    const node = new Node(storage);
    const wanted: number[] = [];
    const change = storage.change.bind(storage);
    storage.change = (by, asked) => {
      wanted.push(asked.wanted);
      return change(by, asked);
    };
    for (let n = 0; n < visits; n += 1) {
      node.visit();
      await settle();
    }
    storage.ingest(node);
    // The first call finds that the link was visited, and the second gives back what is left.
    await node.leases.returnUnused();
    await node.leases.returnUnused();
    expect(storage.leases.size).toBe(0);
    wanted.length = 0;
    node.visit();
    await settle();
    expect(wanted).toEqual([visits]);
    await node.leases.stop();
  });

  it('are refused while storage is unavailable, and after the visit has waited', async () => {
    const storage = new Storage(10);
    const node = new Node(storage);
    node.fate = 'fails';
    node.visit();
    await settle();
    expect(node.unavailable).toBe(1);
    // Another process has all clicks, and gives none back.
    const other = new Node(storage);
    storage.leases.set(other, { clicks: 10, changeId: 'x', granted: 10 });
    node.fate = 'works';
    node.visit();
    await expect.poll(() => node.unavailable).toBe(2);
    await node.leases.stop();
  });
});

describe('blockOf', () => {
  it.each([
    [1, 100, 1, 1],
    [256, 100, 1, 50],
    [256, 100, 2, 25],
    [9_999, 10_000, 1, 256],
    [9_999, 100_000, 1, 1_562],
    [9_999, 100_000, 4, 390],
    [9_999, 1_000_000, 1, 4_096],
    [8, 1, 3, 1],
    [8, 0, 1, 0],
    [0, 8, 1, 0],
    [8, -3, 1, 0],
  ])('of %i wanted and %i available for %i processes is %i', (wanted, available, count, block) => {
    expect(blockOf(wanted, available, count)).toBe(block);
  });
});
