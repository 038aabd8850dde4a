import type { Kysely, Selectable } from 'kysely';
import { findOpenExportRun } from '../../analytics/ingest/export-runs.js';
import { ConfigError } from '../../config-error.js';
import type { Database, Schema } from '../../storage/database.js';

/** The stored position of an export. */
export type ExportState = Selectable<Schema['visit_exports']>;
/** The key of a chunk. */
export type ChunkKey = Pick<ExportState, 'url_id' | 'number'>;

const beforeFirst: ChunkKey = { url_id: 0, number: -1 };

export function findExport(
  db: Kysely<Schema>,
  destination: string,
): Promise<ExportState | undefined> {
  return db
    .selectFrom('visit_exports')
    .selectAll()
    .where('destination', '=', destination)
    .executeTakeFirst();
}

/**
 * Begins a run, which exports the visits that are stored so far and were not exported to the destination.
 * Later visits are of a later run.
 */
export function beginRun(
  database: Database,
  destination: string,
  options: string,
  now: number,
): Promise<ExportState> {
  // Excludes all transactions that store visits.
  return database.writeDirectly(async (transaction) => {
    const last = await findExport(transaction, destination);
    if (last && last.exported_run !== last.closed_run) throw otherProcess(destination);
    const { batch } = await transaction
      .selectFrom('visit_batches')
      .select(({ fn }) => fn.max('id').as('batch'))
      .executeTakeFirstOrThrow();
    const run = {
      closed_run: await findOpenExportRun(transaction),
      // The files of a day are complete when a run of a later day begins.
      closed_at: Math.max(now, last?.closed_at ?? 0),
      closed_batch: batch ?? 0,
      files: 0,
      visits: 0,
      ...beforeFirst,
    };
    await transaction
      .insertInto('visit_exports')
      .values({ destination, options, exported_run: -1, ...run })
      .onConflict((conflict) => conflict.column('destination').doUpdateSet(run))
      .execute();
    return { destination, options, exported_run: last?.exported_run ?? -1, ...run, ...undecided };
  }, 'exclusive');
}

const undecided = { next_url_id: null, next_number: null };

/**
 * Stores which chunk is the last one of the next file, before the file is written. So a file that is
 * written again has the same chunks.
 */
export async function decideFile(
  database: Database,
  state: ExportState,
  { url_id, number }: ChunkKey,
): Promise<ExportState> {
  return update(database, state, { next_url_id: url_id, next_number: number });
}

/** Stores that the next file is complete. */
export async function completeFile(
  database: Database,
  state: ExportState,
  visits: number,
): Promise<ExportState> {
  return update(database, state, {
    url_id: state.next_url_id as number,
    number: state.next_number as number,
    ...undecided,
    files: state.files + 1,
    visits: state.visits + visits,
  });
}

/** Stores that all files of the run are complete. */
export async function finishRun(database: Database, state: ExportState): Promise<ExportState> {
  return update(database, state, { exported_run: state.closed_run });
}

/** Changes a state. Throws a ConfigError if another process has changed it. */
function update(
  database: Database,
  state: ExportState,
  changes: Partial<ExportState>,
): Promise<ExportState> {
  const { destination, exported_run, closed_run, files, next_url_id } = state;
  return database.writeDirectly(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('visit_exports')
      .set(changes)
      .where('destination', '=', destination)
      .where('exported_run', '=', exported_run)
      .where('closed_run', '=', closed_run)
      .where('files', '=', files)
      .where('next_url_id', next_url_id === null ? 'is' : '=', next_url_id)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows !== 1n) throw otherProcess(destination);
    return { ...state, ...changes };
  }, 'rows');
}

function otherProcess(destination: string): ConfigError {
  return new ConfigError(
    `another process exports visits to ${destination}: run the export again when it has ended`,
  );
}
