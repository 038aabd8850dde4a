import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WriteTransaction } from '../../src/storage/database.js';
import { afterCommit } from '../../src/storage/group-commit.js';
import { LoopDetector } from '../../src/urls/loop-detector.js';
import { expireUrls } from '../../src/urls/url-module.js';
import { engine } from '../engine.js';
import { deleteUrls, now, openRepository, type Stored, updateUrls } from './temporary-database.js';

// A long write takes several turns of the event loop. The server serves redirects in between.
let stored: Stored;
let turn = 0;
let ticker: NodeJS.Immediate;

beforeAll(async () => {
  stored = await openRepository();
});
afterAll(() => stored.close());
beforeEach(() => {
  const tick = () => {
    turn += 1;
    ticker = setImmediate(tick);
  };
  ticker = setImmediate(tick);
});
afterEach(() => {
  clearImmediate(ticker);
  vi.restoreAllMocks();
});

/** Counts steps by the turn of the event loop in which they run. */
class StepsByTurn {
  readonly #steps = new Map<number, number>();

  add(): void {
    this.#steps.set(turn, (this.#steps.get(turn) ?? 0) + 1);
  }

  get total(): number {
    return [...this.#steps.values()].reduce((sum, count) => sum + count, 0);
  }

  get most(): number {
    return Math.max(...this.#steps.values());
  }
}

async function createIds(count: number, draft: object = {}) {
  const organizationId = await stored.addOrganization('scale');
  const outcomes = await stored.create(organizationId, Array<object>(count).fill(draft));
  const ids = outcomes.map((outcome) => {
    if (outcome.status !== 'created') throw new Error(`not created: ${outcome.status}`);
    return outcome.id;
  });
  return { organizationId, ids };
}

describe('a bulk update', () => {
  it('changes at most 4 links in a turn of the event loop', async () => {
    const { organizationId, ids } = await createIds(100);
    const steps = new StepsByTurn();
    const outcomes = await updateUrls(stored.urls, organizationId, ids, now, (url) => {
      steps.add();
      return { ok: true, url: { ...url, title: 'changed' } };
    });
    expect(outcomes.filter(({ status }) => status === 'updated')).toHaveLength(100);
    expect(steps.total).toBe(100);
    expect(steps.most).toBeLessThanOrEqual(4);
  });

  it('passes the state after the first change to the second change of a repeated id', async () => {
    const { organizationId, ids } = await createIds(1);
    const repeated = Array<number>(12).fill(ids[0] as number);
    await updateUrls(stored.urls, organizationId, repeated, now, (url, index) => ({
      ok: true,
      url: { ...url, title: `${url.title ?? ''}${index},` },
    }));
    expect(await stored.urls.get(organizationId, ids[0] as number)).toMatchObject({
      title: '0,1,2,3,4,5,6,7,8,9,10,11,',
    });
  });
});

describe('a bulk create', () => {
  it('checks at most 4 drafts for loops in a turn of the event loop', async () => {
    const organizationId = await stored.addOrganization('scale');
    const chain = Array.from({ length: 9 }, (_, index) => ({
      customSlug: `chain-${index}`,
      targetUrl: index === 0 ? 'https://example.com/' : `https://sho.example/chain-${index - 1}`,
    }));
    await stored.create(organizationId, chain);
    const steps = new StepsByTurn();
    const findLoop = LoopDetector.prototype.findLoop;
    vi.spyOn(LoopDetector.prototype, 'findLoop').mockImplementation(function (
      this: LoopDetector,
      ...call
    ) {
      steps.add();
      return findLoop.apply(this, call);
    });
    const outcomes = await stored.create(
      organizationId,
      Array<object>(100).fill({ targetUrl: 'https://sho.example/chain-8' }),
    );
    expect(outcomes.filter(({ status }) => status === 'created')).toHaveLength(100);
    expect(steps.total).toBe(100);
    expect(steps.most).toBeLessThanOrEqual(4);
  });
});

describe('bulk writes of one transaction', () => {
  it.each(['create', 'update', 'delete'] as const)(
    '%s links, commit and return in different turns of the event loop',
    async (kind) => {
      const { organizationId, ids } = await createIds(3);
      const workTurns: number[] = [];
      let commitTurn = 0;
      const noteCommit = () => {
        commitTurn = turn;
      };
      const noteWork = (transaction: WriteTransaction) => {
        workTurns.push(turn);
        afterCommit(transaction, noteCommit);
      };
      const { write } = stored.database;
      vi.spyOn(stored.database, 'write').mockImplementation((owner, work, options) =>
        write(
          owner,
          (transaction) => {
            noteWork(transaction);
            return work(transaction);
          },
          options,
        ),
      );
      const writeOne = {
        create: () => stored.create(organizationId, [{}, {}]),
        update: () =>
          updateUrls(stored.urls, organizationId, ids, now, (url) => ({
            ok: true,
            url: { ...url, title: `${url.title ?? ''}x` },
          })),
        delete: () => deleteUrls(stored.urls, organizationId, ids, now),
      }[kind];
      const returnTurns = await Promise.all(
        [1, 2, 3].map(async () => {
          await writeOne();
          return turn;
        }),
      );
      expect(new Set(workTurns).size).toBe(3);
      expect(commitTurn).toBeGreaterThan(Math.max(...workTurns));
      expect(Math.min(...returnTurns)).toBeGreaterThan(commitTurn);
    },
  );

  it('insert no links in the turn of the commit', async () => {
    const organizationId = await stored.addOrganization('scale');
    let insertTurn = 0;
    let commitTurn = 0;
    const noteCommit = () => {
      commitTurn = turn;
    };
    const { bulkInsert } = stored.database;
    vi.spyOn(stored.database, 'bulkInsert').mockImplementation(async (transaction, table, rows) => {
      await bulkInsert(transaction, table, rows);
      insertTurn = turn;
      afterCommit(transaction, noteCommit);
    });
    await stored.create(organizationId, Array<object>(100).fill({}));
    expect(commitTurn).toBeGreaterThan(insertTurn);
  });
});

describe('rows and events of a bulk request', () => {
  it('are written for few links in a turn of the event loop', async () => {
    const { organizationId, ids } = await createIds(100);
    await stored.subscribe(organizationId, ['url.created', 'url.updated', 'url.expired']);
    const rowsByTurn = new Map<string, number>();
    const bulkInsert = stored.database.bulkInsert;
    const spy = vi.spyOn(stored.database, 'bulkInsert');
    spy.mockImplementation((transaction, table, rows) => {
      const key = `${table} in turn ${turn}`;
      rowsByTurn.set(key, (rowsByTurn.get(key) ?? 0) + rows.length);
      return bulkInsert(transaction, table, rows);
    });
    await stored.create(organizationId, Array<object>(100).fill({ expiresAt: now + 1 }));
    await updateUrls(stored.urls, organizationId, ids, now, (url) => ({
      ok: true,
      url: { ...url, title: 'changed' },
    }));
    await deleteUrls(stored.urls, organizationId, ids, now);
    await expireUrls(stored.urls, () => now + 1);
    const countOf = (table: string) =>
      [...rowsByTurn].filter(([key]) => key.startsWith(`${table} `)).map(([, count]) => count);
    for (const [table, total] of [
      ['urls', 100],
      ['events', 400],
      ['deliveries', 400],
    ] as const) {
      const counts = countOf(table);
      expect(
        counts.reduce((sum, count) => sum + count, 0),
        table,
      ).toBe(total);
      // PostgreSQL inserts the rows in its own process.
      const most = engine() === 'postgres' ? 100 : 10;
      expect(Math.max(...counts), table).toBeLessThanOrEqual(most);
    }
  });
});

describe('link expiry', () => {
  it('deactivates 50 links in a transaction', async () => {
    await createIds(120, { expiresAt: now + 1000 });
    const expireDue = vi.spyOn(stored.urls, 'expireDue');
    expect(await expireUrls(stored.urls, () => now + 1000)).toBe(120);
    const batches = await Promise.all(expireDue.mock.results.map(({ value }) => value));
    expect(batches.map(({ length }) => length)).toEqual([50, 50, 20]);
  });

  it('ends between batches when the service stops', async () => {
    await createIds(120, { expiresAt: now + 2000 });
    const stopping = new AbortController();
    const expireDue = stored.urls.expireDue.bind(stored.urls);
    vi.spyOn(stored.urls, 'expireDue').mockImplementation((at, limit) => {
      stopping.abort();
      return expireDue(at, limit);
    });
    expect(await expireUrls(stored.urls, () => now + 2000, stopping.signal)).toBe(50);
  });
});
