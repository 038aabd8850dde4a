import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Kysely } from 'kysely';
import type { Clock } from '../../ports.js';
import type { Database, Schema, WriteTransaction } from '../../storage/database.js';

export interface OverviewCountsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly partBytes?: number;
  /** The time between two transactions, in which others write. */
  readonly pauseMs?: number;
}

/** Counts of an organization, and where they are stored. */
export interface CountsToStore {
  readonly organizationId: string;
  /** What overviews with the same counts have in common. */
  readonly key: string;
  /** The time of the earliest visit that is counted. */
  readonly firstAt: number;
  readonly content: Uint8Array;
}

/** The content of part 0, as JSON. */
interface Header {
  readonly parts: number;
  readonly bytes: number;
  readonly checksum: number;
}

/** More bytes are not stored. */
export const maxCountsBytes = 64 * 1024 * 1024;

// SQLite writes it in about a millisecond.
const defaultPartBytes = 256 * 1024;
const defaultPauseMs = 10;
const partsPerRead = 16;
const partsPerDeletion = 4;
const maxKeysOfOrganization = 4;

/** Stores what overviews have counted. Writes it in small transactions, and ignores incomplete writes. */
export class OverviewCountsRepository {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #partBytes: number;
  readonly #pauseMs: number;

  constructor({ database, clock, partBytes, pauseMs }: OverviewCountsOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#partBytes = partBytes ?? defaultPartBytes;
    this.#pauseMs = pauseMs ?? defaultPauseMs;
  }

  /** Reads the newest complete counts; undefined if there are none. */
  async read(
    db: Kysely<Schema>,
    organizationId: string,
    key: string,
  ): Promise<Uint8Array | undefined> {
    const ofKey = rowsOf(db, organizationId).where('counts_key', '=', hashKey(key));
    const headers = await ofKey
      .where('part', '=', 0)
      .select(['generation', 'content'])
      .orderBy('generation', 'desc')
      .execute();
    for (const { generation, content } of headers) {
      const header = readHeader(content);
      if (!header) continue;
      const bytes = new Uint8Array(header.bytes);
      let end = 0;
      for (let part = 1; part <= header.parts; part += partsPerRead) {
        const rows = await ofKey
          .where('generation', '=', generation)
          .where('part', '>=', part)
          .where('part', '<', part + partsPerRead)
          .select('content')
          .orderBy('part')
          .execute();
        for (const row of rows) {
          bytes.set(row.content.subarray(0, bytes.length - end), end);
          end += row.content.length;
        }
      }
      if (end === bytes.length && crc32(bytes) === header.checksum) return bytes;
    }
    return undefined;
  }

  /**
   * Replaces the counts with a key. Returns false if visits of that time were erased or deleted meanwhile,
   * or the signal aborted.
   */
  async write(
    { organizationId, key, firstAt, content }: CountsToStore,
    signal: AbortSignal,
  ): Promise<boolean> {
    const generation = this.#clock();
    const parts = Math.ceil(content.length / this.#partBytes);
    const row = {
      organization_id: organizationId,
      counts_key: hashKey(key),
      generation,
      first_at: firstAt,
    };
    const insert = (part: number, bytes: Uint8Array) =>
      this.#write(organizationId, async (transaction) => {
        // The lock and this condition order the insertion and the transactions that delete visits.
        if (!(await mayStore(transaction, organizationId, firstAt))) return false;
        await transaction
          .insertInto('overview_counts')
          .values({ ...row, part, content: bytes })
          .execute();
        return true;
      });
    for (let part = 1; part <= parts; part += 1) {
      if (signal.aborted) return false;
      const from = (part - 1) * this.#partBytes;
      if (!(await insert(part, content.subarray(from, from + this.#partBytes)))) return false;
      await sleep(this.#pauseMs);
    }
    const header: Header = { parts, bytes: content.length, checksum: crc32(content) };
    if (signal.aborted || !(await insert(0, Buffer.from(JSON.stringify(header))))) return false;
    await this.#deleteOlder(organizationId, hashKey(key), generation, signal);
    return true;
  }

  /** Deletes earlier counts with the key, and all but the newest keys of the organization. */
  async #deleteOlder(
    organizationId: string,
    key: string,
    generation: number,
    signal: AbortSignal,
  ): Promise<void> {
    const keys = await rowsOf(this.#database.read, organizationId)
      .select(({ fn }) => ['counts_key as key', fn.max('generation').as('newest')])
      .groupBy('counts_key')
      .orderBy('newest', 'desc')
      .execute();
    const unused = keys.slice(maxKeysOfOrganization).filter((each) => each.key !== key);
    const toDelete = [
      { key, before: generation },
      ...unused.map((each) => ({ key: each.key, before: Number(each.newest) + 1 })),
    ];
    for (const { key: ofKey, before } of toDelete) {
      let rows: readonly { generation: number; part: number }[];
      do {
        rows = await rowsOf(this.#database.read, organizationId)
          .where('counts_key', '=', ofKey)
          .where('generation', '<', before)
          .select(['generation', 'part'])
          // The header first, so that no incomplete counts remain readable.
          .orderBy('generation')
          .orderBy('part')
          .limit(partsPerDeletion)
          .execute();
        const [first] = rows;
        const last = rows.at(-1);
        if (!first || !last || signal.aborted) break;
        await this.#write(organizationId, (transaction) =>
          transaction
            .deleteFrom('overview_counts')
            .where('organization_id', '=', organizationId)
            .where('counts_key', '=', ofKey)
            .where('generation', '=', first.generation)
            .where('part', '<=', last.generation === first.generation ? last.part : maxPart)
            .execute(),
        );
        await sleep(this.#pauseMs);
      } while (rows.length > 0);
    }
  }

  #write<T>(
    organizationId: string,
    work: (transaction: WriteTransaction) => Promise<T>,
  ): Promise<T> {
    return this.#database.writeDirectly(work, {
      visitShard: this.#database.visitShardOf(organizationId),
    });
  }
}

const maxPart = 2 ** 31 - 1;

/** Returns when the newest counts with a key were written; undefined if there are none. */
export async function findGeneration(
  db: Kysely<Schema>,
  organizationId: string,
  key: string,
): Promise<number | undefined> {
  const row = await rowsOf(db, organizationId)
    .where('counts_key', '=', hashKey(key))
    .where('part', '=', 0)
    .select('generation')
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.generation;
}

/** Deletes counts that have visits before an instant. */
export async function deleteOverviewCounts(
  transaction: WriteTransaction,
  organizationId: string,
  before: number,
): Promise<void> {
  await transaction
    .deleteFrom('overview_counts')
    .where('organization_id', '=', organizationId)
    .where('first_at', '<', before)
    .execute();
}

/** Returns whether no visits since an instant were erased, and the organization is not being deleted. */
async function mayStore(
  transaction: WriteTransaction,
  organizationId: string,
  since: number,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .where('chunks_complete_from', '<=', since)
    .where('deletion_started_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns undefined if the header is damaged. */
function readHeader(content: Uint8Array): Header | undefined {
  try {
    const header: Header = JSON.parse(Buffer.from(content).toString());
    return header.bytes <= maxCountsBytes ? header : undefined;
  } catch {
    return undefined;
  }
}

function rowsOf(db: Kysely<Schema>, organizationId: string) {
  return db.selectFrom('overview_counts').where('organization_id', '=', organizationId);
}

function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
