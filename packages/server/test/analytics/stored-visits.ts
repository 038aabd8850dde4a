import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as newUuid } from 'uuid';
import { expect } from 'vitest';
import { decodeRow } from '../../src/analytics/ingest/stored-visits.js';
import { recoverOrphans } from '../../src/analytics/ingest/visit-ingester.js';
import {
  createVisitRepository,
  type VisitRepository,
} from '../../src/analytics/ingest/visit-repository.js';
import { segmentPath } from '../../src/analytics/journal/journal-folder.js';
import { diagnoseVisits } from '../../src/analytics/reports/visit-doctor.js';
import { createEventOutbox } from '../../src/events/event-outbox.js';
import type { Database } from '../../src/storage/database.js';
import { poll } from '../poll.js';

export interface StoredVisit {
  readonly urlId: number;
  readonly visitedAt: number;
}

/** Reads every stored visit. */
export async function storedVisits(database: Database): Promise<StoredVisit[]> {
  const rows = await database.read.selectFrom('visits').selectAll().orderBy('id').execute();
  return rows.flatMap((row) => {
    const { urlIds, visitedAt } = decodeRow(row);
    return Array.from(urlIds, (urlId, at) => ({ urlId, visitedAt: visitedAt[at] as number }));
  });
}

/** Resolves to the stored visits when there are at least `count`. */
export function untilStored(database: Database, count: number): Promise<StoredVisit[]> {
  return poll(
    `${count} stored visits`,
    () => storedVisits(database),
    (visits) => visits.length >= count,
  );
}

/** Returns the counter of a link. */
export async function clicksOf({ read }: Database, urlId: number): Promise<number> {
  const counted = read.selectFrom('url_clicks').select('clicks').where('url_id', '=', urlId);
  return (await counted.executeTakeFirst())?.clicks ?? 0;
}

/** Fails if a counter differs from the visits, or a row is damaged. */
export async function expectSoundVisits(database: Database): Promise<void> {
  const { wrongLinks, wrongCodes, damaged } = await diagnoseVisits(database);
  expect([...wrongLinks, ...wrongCodes, ...damaged]).toEqual([]);
}

export function visitRepositoryOn(database: Database): VisitRepository {
  const outbox = createEventOutbox(database, { newId: newUuid });
  return createVisitRepository(database, { outbox, thresholds: [] });
}

/** Reads the journal of a process that was killed. Its folder has no lock. */
export async function readKilled(
  database: Database,
  journalRoot: string,
  clock: () => number,
  lines: readonly string[],
): Promise<void> {
  const folder = join(journalRoot, 'killed-writer');
  mkdirSync(folder, { recursive: true });
  writeFileSync(segmentPath(folder, 1), lines.join(''));
  const repository = visitRepositoryOn(database);
  const refuse = () => expect.unreachable('no line is damaged');
  expect(await recoverOrphans(repository, journalRoot, clock, refuse)).toBe(lines.length);
}
