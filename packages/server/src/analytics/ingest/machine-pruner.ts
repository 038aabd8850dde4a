import { type RawBuilder, sql } from 'kysely';
import type { Config } from '../../config.js';
import type { Clock } from '../../ports.js';
import type { Database, Schema, WriteTransaction } from '../../storage/database.js';
import { writeCompactedVisits } from '../../storage/locks.js';
import { yieldToEventLoop } from '../../yield-to-event-loop.js';
import { dayMs } from '../reports/durations.js';
import { type ChunkTable, toChunk, tryToDecode } from './columns-codec.js';
import {
  filterColumns,
  firstMachineAt,
  humanSources,
  noMachines,
  type VisitColumns,
} from './visit-columns.js';

interface MachinePrunerOptions extends Pick<Config, 'machineRetentionDays'> {
  readonly database: Database;
  readonly clock: Clock;
}

/** The key of a chunk. */
interface ChunkKey {
  readonly owner: number | string;
  readonly number: number;
}

type DueChunk = ChunkKey & { readonly machinesFrom: number };

const ownerColumns = { visit_chunks: 'url_id', organization_chunks: 'organization_id' } as const;
// The chunks of a transaction, which blocks all other writes on SQLite: typically 1 MB, at most 10 MB.
const chunksPerTransaction = 16;

/**
 * Deletes the visits that do not count, such as those of bots, after their retention period. No report
 * and no counter includes them, so no sum replaces them. Stops early when the signal aborts.
 */
export async function pruneMachineVisits(
  { database, clock, machineRetentionDays }: MachinePrunerOptions,
  signal?: AbortSignal,
): Promise<void> {
  if (machineRetentionDays === 0) return;
  // Entire days, so that a chunk is written again at most once a day.
  const before = Math.floor(clock() / dayMs - machineRetentionDays) * dayMs;
  const errors: unknown[] = [];
  for (const table of ['visit_chunks', 'organization_chunks'] as const) {
    for (let last: DueChunk | undefined; !signal?.aborted; ) {
      const due = await listDue(database, table, before, last);
      for (const each of await pruneChunks(database, table, due, before)) {
        const message = `${ownerColumns[table]} ${each.owner}: chunk ${each.number} cannot be read`;
        errors.push(new Error(`${message}, so its visits of machines were not pruned`));
      }
      if (due.length < chunksPerTransaction) break;
      last = due.at(-1);
      await yieldToEventLoop();
    }
  }
  if (errors.length > 0)
    throw new AggregateError(errors, 'some visits of machines were not pruned');
}

/** Lists chunks with machine visits before an instant, in the order of an index. */
async function listDue(
  { read }: Database,
  table: ChunkTable,
  before: number,
  last: DueChunk | undefined,
): Promise<readonly DueChunk[]> {
  const owner = sql.ref(ownerColumns[table]);
  const { rows } = await sql<DueChunk>`
    select ${owner} as owner, number, machines_from as "machinesFrom" from ${sql.table(table)}
    where machines_from < ${sql.lit(noMachines)} and machines_from < ${before}
      ${last ? sql`and (machines_from, ${owner}, number) > (${last.machinesFrom}, ${last.owner}, ${last.number})` : sql``}
    order by machines_from, ${owner}, number limit ${chunksPerTransaction}`.execute(read);
  return rows;
}

/** Prunes chunks in one transaction. Returns those that cannot be read. */
function pruneChunks(
  database: Database,
  table: ChunkTable,
  due: readonly DueChunk[],
  before: number,
): Promise<readonly ChunkKey[]> {
  return writeCompactedVisits(database, async (transaction) => {
    const damaged: ChunkKey[] = [];
    const rests: unknown[] = [];
    for (const key of due) {
      const columns = await readColumns(transaction, table, key);
      if (columns === undefined) damaged.push(key);
      if (!columns) continue;
      const rest = withoutMachines(columns, before);
      if (rest.count === columns.count) {
        // An earlier version stored the chunk.
        await sql`update ${sql.table(table)} set machines_from = ${firstMachineAt(columns)}
          where ${isChunk(table, key)}`.execute(transaction);
        continue;
      }
      await sql`delete from ${sql.table(table)} where ${isChunk(table, key)}`.execute(transaction);
      const { owner, number } = key;
      if (rest.count > 0) {
        rests.push({ [ownerColumns[table]]: owner, number, ...toChunk(rest, table) });
      }
    }
    await database.bulkInsert(transaction, table, rests as never[]);
    return damaged;
  });
}

/** Returns null if the chunk does not exist any more, and undefined if it cannot be read. */
async function readColumns(
  transaction: WriteTransaction,
  table: ChunkTable,
  key: ChunkKey,
): Promise<VisitColumns | null | undefined> {
  const { rows } = await sql<Pick<Schema['visit_chunks'], 'visits'>>`
    select visits from ${sql.table(table)} where ${isChunk(table, key)}`.execute(transaction);
  const [row] = rows;
  return row ? tryToDecode(row.visits) : null;
}

function isChunk(table: ChunkTable, { owner, number }: ChunkKey): RawBuilder<boolean> {
  return sql`${sql.ref(ownerColumns[table])} = ${owner} and number = ${number}`;
}

/** Returns the visits without those before an instant that do not count. */
function withoutMachines(columns: VisitColumns, before: number): VisitColumns {
  const isHuman = humanSources(columns);
  const { codes } = columns.dictionaries.source;
  const counts = (index: number) => isHuman[codes[index] as number] === 1;
  return filterColumns(
    columns,
    (index) => (columns.visitedAt[index] as number) >= before || counts(index),
  );
}
