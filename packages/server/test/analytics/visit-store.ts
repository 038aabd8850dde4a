import { expect } from 'vitest';
import { deleteOldVisits } from '../../src/analytics/ingest/delete-old-visits.js';
import { mergeVisits } from '../../src/analytics/ingest/merge-visits.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import type { Visit } from '../../src/analytics/journal/journal-lines.js';
import { ReportReader } from '../../src/analytics/reports/report-reader.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { standardPlans } from '../../src/organizations/plans.js';
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
  const clicks: { plans: typeof standardPlans; maxBatches?: number } = { plans: standardPlans };
  const visits = new VisitRepository(database, { outbox, thresholds: [], clicks });
  let offset = 0;
  return {
    ...stored,
    outbox,
    /** How webhooks get the visits. */
    clicks,
    reader: new ReportReader(database),

    /** Stores a batch. */
    async store(batch: readonly Visit[], now = start): Promise<void> {
      const from = { segment: 1, offset };
      offset += batch.length;
      const to = { segment: 1, offset };
      expect(await visits.store('writer', from, to, { visits: batch }, now)).toBe(true);
    },

    /** Merges rows of any age. */
    merge: (): Promise<boolean> => mergeVisits(database, start + 3650 * day),

    /** Deletes the visits before an instant. */
    deleteOld: (before: number): Promise<void> => deleteOldVisits(database, before),
  };
}

export type VisitStore = Awaited<ReturnType<typeof openVisitStore>>;
