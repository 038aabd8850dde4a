import type { Kysely } from 'kysely';
import type { Database, Schema } from '../storage/database.js';
import type { PreviewFetch } from '../urls/link-preview.js';
import type { FetchedPreview } from './fetch-preview.js';

/** A target that this server reads for the preview of its link. */
export interface ClaimedTarget {
  readonly urlId: number;
  readonly organizationId: string;
  readonly targetUrl: string;
  /** The number of attempts, with this one. */
  readonly attempts: number;
  /** Until then no other server reads it. It identifies the claim. */
  readonly leasedUntil: number;
}

interface DueLink {
  readonly id: number;
  readonly targetUrl: string;
  readonly previewFetch: string | null;
  readonly previewDueAt: number | null;
}

// Longer than an attempt takes.
const leaseMs = 60_000;
// The wait after each attempt that failed. After the last one, the target is not read again.
const retryDelaysMs = [60_000, 10 * 60_000, 60 * 60_000];
const maxAttempts = retryDelaysMs.length + 1;
const interrupted = 'Each attempt to read the target was interrupted';

/**
 * The targets that are to be read for previews: the links with `preview_due_at`. A server claims a link by
 * setting a later time, so that another one reads the target if this one is killed.
 */
export class PreviewQueue {
  readonly #database: Database;
  /** Organizations take turns: the last one that had a turn. */
  #lastOrganization = '';

  constructor(database: Database) {
    this.#database = database;
  }

  /** Claims up to `limit` targets that are due, and at most `limitEach` of each organization. */
  async claim(now: number, limit: number, limitEach: number): Promise<ClaimedTarget[]> {
    const claimed: ClaimedTarget[] = [];
    const seen = new Set<string>();
    while (claimed.length < limit) {
      const organizationId = await this.#nextOrganization();
      if (organizationId === undefined || seen.has(organizationId)) break;
      seen.add(organizationId);
      this.#lastOrganization = organizationId;
      const most = Math.min(limitEach, limit - claimed.length);
      claimed.push(...(await this.#claimOf(organizationId, now, most)));
    }
    return claimed;
  }

  /**
   * Stores what was read. Returns false, and stores nothing, if the link has another target or preview
   * meanwhile, or another server has claimed it.
   */
  settle(claim: ClaimedTarget, outcome: FetchedPreview, now: number): Promise<boolean> {
    const { urlId, organizationId, targetUrl, attempts, leasedUntil } = claim;
    const isFetched = 'preview' in outcome;
    const delayMs = isFetched || outcome.isFinal ? undefined : retryDelaysMs[attempts - 1];
    const result = isFetched ? outcome.preview : { error: outcome.error };
    const previewFetch: PreviewFetch = { attempts, last: { at: now, result } };
    return this.#database.writeDirectly(
      async (transaction) => {
        const updated = await transaction
          .updateTable('urls')
          .set({
            preview_fetch: JSON.stringify(previewFetch),
            preview_due_at: delayMs === undefined ? null : now + delayMs,
          })
          .where('id', '=', urlId)
          .where('preview_due_at', '=', leasedUntil)
          .where('target_url', '=', targetUrl)
          .executeTakeFirst();
        return Number(updated.numUpdatedRows) > 0;
      },
      { organizationId },
    );
  }

  /** Returns the organization after the last one that has waiting links, due or not. */
  async #nextOrganization(): Promise<string | undefined> {
    const { read } = this.#database;
    const after = await firstWaiting(read, this.#lastOrganization);
    return after ?? firstWaiting(read, '');
  }

  async #claimOf(organizationId: string, now: number, limit: number): Promise<ClaimedTarget[]> {
    const due = await selectDue(this.#database.read, organizationId, now, limit);
    if (due.length === 0) return [];
    const leasedUntil = now + leaseMs;
    return this.#database.writeDirectly(
      async (transaction) => {
        const claimed: ClaimedTarget[] = [];
        for (const { id, targetUrl, previewFetch, previewDueAt } of due) {
          const { attempts: before, last }: PreviewFetch =
            previewFetch === null ? { attempts: 0 } : JSON.parse(previewFetch);
          // An attempt that ends the process has no outcome.
          const isOver = before >= maxAttempts;
          const attempts = isOver ? before : before + 1;
          const fetch: PreviewFetch = isOver
            ? { attempts, last: { at: now, result: { error: interrupted } } }
            : { attempts, ...(last && { last }) };
          const updated = await transaction
            .updateTable('urls')
            .set({
              preview_fetch: JSON.stringify(fetch),
              preview_due_at: isOver ? null : leasedUntil,
            })
            .where('id', '=', id)
            .where('preview_due_at', '=', previewDueAt)
            .where('target_url', '=', targetUrl)
            .executeTakeFirst();
          // Another server was faster, or the link has changed.
          if (Number(updated.numUpdatedRows) === 0 || isOver) continue;
          claimed.push({ urlId: id, organizationId, targetUrl, attempts, leasedUntil });
        }
        return claimed;
      },
      { organizationId },
    );
  }
}

async function firstWaiting(db: Kysely<Schema>, after: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('urls')
    .select('organization_id')
    .where('preview_due_at', 'is not', null)
    .where('organization_id', '>', after)
    .orderBy('organization_id')
    .limit(1)
    .executeTakeFirst();
  return row?.organization_id;
}

/** Returns the links of an organization that are due. Those of a suspended one wait. */
function selectDue(
  db: Kysely<Schema>,
  organizationId: string,
  now: number,
  limit: number,
): Promise<DueLink[]> {
  return db
    .selectFrom('urls')
    .innerJoin('organizations', 'organizations.id', 'urls.organization_id')
    .select(['urls.id', 'target_url as targetUrl', 'preview_fetch as previewFetch'])
    .select('preview_due_at as previewDueAt')
    .where('urls.organization_id', '=', organizationId)
    .where('preview_due_at', '<=', now)
    .where('suspended_at', 'is', null)
    .where('deletion_started_at', 'is', null)
    .orderBy('preview_due_at')
    .limit(limit)
    .execute();
}
