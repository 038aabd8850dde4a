import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { sameCodes, type VisitColumns } from './visit-columns.js';

const column = 'exportRun';

/**
 * Selects the export run that will export the visits that are stored now. Null without an export: such
 * visits are of run 0. The transaction must exclude those that begin a run.
 */
export const openExportRun: RawBuilder<number | null> =
  sql`(select max(closed_run) + 1 from visit_exports)`;

export async function findOpenExportRun(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ run: number | null }>`select ${openExportRun} as run`.execute(db);
  return Number(rows[0]?.run ?? 0);
}

/** Returns the visits with the same export run each. */
export function withExportRun(columns: VisitColumns, run: number): VisitColumns {
  const others = columns.storedTexts.filter((name) => name !== column);
  const text = { values: [run === 0 ? '' : String(run)], codes: sameCodes };
  return {
    ...columns,
    dictionaries: { ...columns.dictionaries, [column]: text },
    storedTexts: run === 0 ? others : [...others, column],
  };
}

/** Returns the latest export run of the visits. */
export function lastExportRun({ dictionaries }: VisitColumns): number {
  return Math.max(0, ...dictionaries[column].values.map(Number));
}

/** Returns a function that decides whether the visit at an index is of a run after `from`, up to `to`. */
export function isOfRuns({ dictionaries }: VisitColumns, from: number, to: number) {
  const { values, codes } = dictionaries[column];
  const isSelected = values.map(Number).map((run) => run > from && run <= to);
  return (index: number): boolean => isSelected[codes[index] as number] === true;
}
