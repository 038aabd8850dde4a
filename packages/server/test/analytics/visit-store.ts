import type { KyselyPlugin } from 'kysely';
import { v7 as newUuid } from 'uuid';
import { expect } from 'vitest';
import { mergeVisits } from '../../src/analytics/ingest/merge-visits.js';
import type { ClickOptions } from '../../src/analytics/ingest/record-clicks.js';
import { createVisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import type { Visit } from '../../src/analytics/journal/journal-lines.js';
import { ReportReader } from '../../src/analytics/reports/report-reader.js';
import { createEventOutbox } from '../../src/events/event-outbox.js';
import { standardPlans } from '../../src/organizations/plans.js';
import type { Database } from '../../src/storage/database.js';
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
  const outbox = createEventOutbox(database, { newId: newUuid });
  const origins = { scheme: 'https://', shortDomain: 'sho.example' };
  const clicks: { -readonly [Name in keyof ClickOptions]: ClickOptions[Name] } = {
    plans: standardPlans,
    origins,
  };
  const visits = createVisitRepository(database, { outbox, thresholds: [], clicks });
  let offset = 0;
  return {
    ...stored,
    /** How webhooks get the visits. */
    clicks,
    reader: new ReportReader(database),

    /** Creates an organization with links. */
    async createLinks(count: number) {
      const organizationId = await stored.addOrganization('enterprise');
      const created = await stored.create(organizationId, Array(count).fill({}));
      return { organizationId, urlIds: created.map(({ id }) => id) };
    },

    /** Stores a batch. */
    async store(batch: readonly Visit[], now = start): Promise<void> {
      const from = { segment: 1, offset };
      offset += batch.length;
      const to = { segment: 1, offset };
      expect(await visits.store('writer', from, to, { visits: batch }, now)).toBe(true);
    },

    /** Merges rows of any age. */
    merge: (): Promise<boolean> => mergeVisits(database, start + 3650 * day),
  };
}

/** Returns the database with a record of the rows that each query of a snapshot returns. */
export function withRecord(database: Database) {
  const results: Record<string, unknown>[][] = [];
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      results.push(result.rows);
      return result;
    },
  };
  const snapshot: Database['snapshot'] = (work) =>
    database.snapshot((db) => work(db.withPlugin(plugin)));
  /** Returns the rows with visits that each query returned. */
  const rowsOfVisits = () => results.filter(([row]) => row && 'visits' in row);
  return { rowsOfVisits, database: { ...database, snapshot } };
}

export type VisitStore = Awaited<ReturnType<typeof openVisitStore>>;
