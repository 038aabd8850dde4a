import { expect } from 'vitest';
import { VisitCompactor } from '../../src/analytics/ingest/visit-compactor.js';
import { pruneVisits } from '../../src/analytics/ingest/visit-pruner.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import type { Visit } from '../../src/analytics/journal/journal-lines.js';
import { ReportReader } from '../../src/analytics/reports/report-reader.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { openRepository } from '../storage/temporary-database.js';

export const start = Date.UTC(2030, 0, 1);
export const hour = 60 * 60 * 1000;
export const day = 24 * hour;
/** The query of a report on January 2030. */
export const month = { since: start, until: start + 30 * day, groupBy: 'day', limit: 50 } as const;

type VisitChanges = Partial<Omit<Visit, 'facts'>> & { readonly facts?: Partial<Visit['facts']> };

/** A click of the same visitor each time, except for the changes. */
export function makeVisit({ facts, ...visit }: VisitChanges = {}): Visit {
  return {
    urlId: 1,
    visitedAt: start,
    isByCode: false,
    variant: null,
    ...visit,
    facts: {
      kind: 'human',
      reason: 'browser',
      country: 'DE',
      deviceType: 'mobile',
      browser: 'Firefox',
      os: 'Android',
      referrerDomain: '(direct)',
      referrerType: 'direct',
      visitorKey: '00000000000000aa',
      addressKey: '00000000000000bb',
      scannerApp: null,
      evidence: 0,
      region: null,
      city: null,
      language: null,
      campaign: null,
      ...facts,
    },
  };
}

/** An empty database with everything that stores, compacts, prunes and reports visits. */
export async function openVisitStore() {
  const stored = await openRepository();
  const { database } = stored;
  const outbox = new EventOutbox(database, { newId: () => 'event' });
  const visits = new VisitRepository(database, { outbox, thresholds: [] });
  const compactorAt = (now: number, of = database) =>
    new VisitCompactor({ database: of, clock: () => now });
  let offset = 0;
  return {
    ...stored,
    outbox,
    reader: new ReportReader(database),
    compactorAt,

    /** Stores a batch. */
    async store(batch: readonly Visit[], now = start): Promise<void> {
      const from = { segment: 1, offset };
      offset += batch.length;
      const to = { segment: 1, offset };
      expect(await visits.store('writer', from, to, { visits: batch }, now)).toBe(true);
    },

    /** Compacts batches of any age. */
    compact: (): Promise<void> => compactorAt(start + 3650 * day).compact(),

    /** Returns the number of URLs whose visits were pruned. */
    prune: (retentionDays: number | undefined, now: number): Promise<number> =>
      pruneVisits({ database, clock: () => now, retentionDays }),
  };
}

export type VisitStore = Awaited<ReturnType<typeof openVisitStore>>;
