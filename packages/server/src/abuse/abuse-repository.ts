import { sql } from 'kysely';
import type { Page, PageRange } from '../contract/fields.js';
import {
  type IdempotentResult,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import { type Database, operatorOwner, type WriteTransaction } from '../storage/database.js';
import { readList } from '../storage/list-page.js';
import { runInBatches } from '../storage/run-in-batches.js';
import type { ShortUrl } from '../urls/short-url.js';
import type { TakedownRepository } from '../urls/takedown-repository.js';
import type { DomainAndKey } from '../urls/url-keys.js';
import type { AbuseReason } from './abuse-contract.js';

export type Resolution = 'dismissed' | 'takenDown';

/** A report from a visitor. */
export interface NewReport extends DomainAndKey {
  readonly id: string;
  readonly shortUrl: string;
  readonly reason: AbuseReason;
  readonly comment: string | null;
  readonly email: string | null;
  /** A keyed hash of the address. */
  readonly reporter: string;
}

/** A stored report, and the link as it is now. Instants are milliseconds since 1970. */
export type Report = Awaited<ReturnType<typeof findReports>>[number];

/** What a resolution changed. */
export interface ResolvedReport {
  readonly report: Report;
  /** The link that was taken down. */
  readonly urlId: number | null;
}

/** The most reports that wait for the operator. */
export const maxOpenReports = 10_000;
// Longer than disputes about a takedown usually take.
const resolvedRetentionMs = 90 * 24 * 60 * 60_000;
const openRetentionMs = 365 * 24 * 60 * 60_000;
const deletedAtOnce = 500;

/** Stores reports of links by visitors. Every method is one transaction. */
export class AbuseRepository {
  readonly #database: Database;
  readonly #takedowns: Pick<TakedownRepository, 'takeDownIn'>;

  constructor(database: Database, takedowns: Pick<TakedownRepository, 'takeDownIn'>) {
    this.#database = database;
    this.#takedowns = takedowns;
  }

  /**
   * Stores a report, unless the same address has an open one of the link. Returns false if too many are
   * open.
   */
  add(report: NewReport, now: number): Promise<boolean> {
    const { shortUrl: short_url, id, reason, comment, email, reporter, domain_key, key } = report;
    return this.#database.writeDirectly(async (transaction) => {
      const { count } = await transaction
        .selectFrom('abuse_reports')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('resolved_at', 'is', null)
        .executeTakeFirstOrThrow();
      if (Number(count) >= maxOpenReports) return false;
      const row = { id, short_url, domain_key, key, reason, comment, email, reporter };
      await transaction
        .insertInto('abuse_reports')
        .values({ ...row, created_at: now, resolved_at: null, resolution: null })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return true;
    }, 'rows');
  }

  /** Returns a report; undefined if there is none. */
  async find(id: string): Promise<Report | undefined> {
    const [report] = await findReports(this.#database.read, [id]);
    return report;
  }

  /**
   * Resolves a report, and the open ones of the same short URL. Returns null if there is no such report,
   * and 'no-link' if there is no link to take down.
   */
  resolve(
    id: string,
    {
      resolution,
      reason,
    }: {
      readonly resolution: Resolution;
      readonly reason?: string | undefined;
    },
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<ResolvedReport | 'no-link' | null>> {
    return writeOnce<ResolvedReport | 'no-link' | null>(
      this.#database,
      operatorOwner,
      write,
      async (transaction) => {
        const [found] = await findReports(transaction, [id]);
        if (!found) return null;
        let url: ShortUrl | null = null;
        if (resolution === 'takenDown') {
          const takedown = { domainKey: found.domainKey, key: found.key };
          const text = reason ?? found.reason;
          url = await this.#takedowns.takeDownIn(transaction, { ...takedown, reason: text }, now);
          if (!url) return 'no-link';
        }
        await transaction
          .updateTable('abuse_reports')
          .set({ resolved_at: now, resolution })
          .where(({ or, and, eb }) =>
            or([
              eb('id', '=', id),
              and([
                eb('domain_key', '=', found.domainKey),
                eb('key', '=', found.key),
                eb('resolved_at', 'is', null),
              ]),
            ]),
          )
          .execute();
        const [report] = await findReports(transaction, [id]);
        return { report: report as Report, urlId: url?.id ?? null };
      },
      {
        audit: (result) =>
          result === null || result === 'no-link' ? null : { type: 'abuseReport', id },
      },
    );
  }

  /** Deletes reports that are too old, until the signal aborts. */
  async deleteOld(now: number, signal: AbortSignal): Promise<number> {
    return runInBatches(
      deletedAtOnce,
      () =>
        this.#database.writeDirectly(async (transaction) => {
          const { rows } = await sql<{ id: string }>`
            select id from abuse_reports
            where resolved_at <= ${now - resolvedRetentionMs}
              or created_at <= ${now - openRetentionMs}
            limit ${deletedAtOnce}`.execute(transaction);
          if (rows.length === 0) return 0;
          const ids = rows.map(({ id }) => id);
          await transaction.deleteFrom('abuse_reports').where('id', 'in', ids).execute();
          return rows.length;
        }, 'rows'),
      signal,
    );
  }
}

/** Returns one page of reports, newest first. */
export function listReports(
  database: Database,
  status: 'open' | 'resolved',
  range: PageRange,
): Promise<Page<Report>> {
  const condition =
    status === 'open' ? sql<boolean>`resolved_at is null` : sql<boolean>`resolved_at is not null`;
  return readList<string, Report>(
    database,
    { table: 'abuse_reports', condition, ...range },
    (ids) => findReports(database.read, ids),
  );
}

/** Returns reports with their links as they are now. */
function findReports(db: Database['read'] | WriteTransaction, ids: readonly string[]) {
  return db
    .selectFrom('abuse_reports')
    .leftJoin('url_keys', (join) =>
      join
        .onRef('url_keys.domain_key', '=', 'abuse_reports.domain_key')
        .onRef('url_keys.key', '=', 'abuse_reports.key'),
    )
    .leftJoin('urls', 'urls.id', 'url_keys.url_id')
    .leftJoin('takedowns', 'takedowns.id', 'urls.id')
    .select(['abuse_reports.id', 'short_url as shortUrl', 'abuse_reports.reason'])
    .select(['abuse_reports.domain_key as domainKey', 'abuse_reports.key as key'])
    .select(['comment', 'email', 'abuse_reports.created_at as createdAt'])
    .select(['resolved_at as resolvedAt', 'resolution'])
    .select(['urls.id as urlId', 'urls.organization_id as organizationId'])
    .select(['target_url as targetUrl', 'is_active as isActive', 'takedowns.id as takedownId'])
    .where('abuse_reports.id', 'in', ids)
    .execute();
}
