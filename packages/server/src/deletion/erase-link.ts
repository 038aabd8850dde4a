import { sql } from 'kysely';
import type { Logger } from 'pino';
import {
  type ErasedLink,
  eraseLastVisits,
  isErasurePending,
  untilErased,
} from '../analytics/ingest/erase-visits.js';
import type { IdempotentResult, WriteContext } from '../idempotency/with-idempotency-key.js';
import { type PeriodicService, periodicService } from '../lifecycle.js';
import type { Clock } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { childrenOf } from '../storage/schema.js';
import { findWhere, updateWhere } from '../storage/statements.js';
import type { ShortUrl } from '../urls/short-url.js';
import type { RecordUrls } from '../urls/url-events.js';
import { beginErasure } from '../urls/url-life-cycle.js';
import { deleteOrganizations } from './delete-organization.js';
import { deleteAll, deleteRows } from './delete-rows.js';

// The number of links that one run of the periodic job reads.
const linksAtOnce = 100;

/**
 * Deletes what belongs to the links that are being erased, until the signal aborts. Continues what a
 * killed process began. Several processes may run it at once. A link whose visits are being erased is left
 * for the next call. Returns false without any.
 */
export async function eraseLinks(database: Database, signal?: AbortSignal): Promise<boolean> {
  const { rows: links } = await sql<ErasedLink>`
    select distinct url_id as "urlId", organization_id as "organizationId" from retired_keys
    where url_id is not null order by url_id limit ${linksAtOnce}`.execute(database.read);
  for (const link of links) {
    if (signal?.aborted) break;
    await eraseLink(database, link, signal);
  }
  return links.length > 0;
}

/** Returns whether rows of an erased link may still be stored. */
export async function isLinkErasurePending(database: Database, urlId: number): Promise<boolean> {
  return (await findWhere(database.read, 'retired_keys', { url_id: urlId })) !== undefined;
}

/**
 * Deletes what belongs to one link that is being erased, unless its visits are not erased yet. Its events,
 * the stored results of its requests, and its entries of the audit log expire.
 */
export async function eraseLink(
  database: Database,
  link: ErasedLink,
  signal?: AbortSignal,
): Promise<void> {
  const { urlId, organizationId } = link;
  if (await isErasurePending(database.read, urlId)) return;
  // Visits that are stored meanwhile refer to the codes.
  const write = (work: (transaction: WriteTransaction) => Promise<unknown>) =>
    database.writeDirectly(work, 'exclusive');
  const deletion = { read: database.read, write, retiresKeysOf: organizationId, signal };
  await deleteRows(deletion, 'qr_codes', [urlId], 'url_id');
  if (signal?.aborted) return;
  await write(async (transaction) => {
    // Otherwise another process was faster, or the organization is deleted.
    if (await findWhere(transaction, 'urls', { id: urlId })) {
      await eraseLastVisits(transaction, link);
      for (const table of childrenOf('urls')) await deleteAll(transaction, table, [urlId]);
      await transaction.deleteFrom('urls').where('id', '=', urlId).execute();
    }
    await updateWhere(transaction, 'retired_keys', { url_id: urlId }, { url_id: null });
  });
}

interface UrlErasureOptions {
  readonly database: Database;
  readonly record: RecordUrls;
  /**
   * Erases the visits of marked links. Returns after some seconds at most, and continues then. Throws
   * UNAVAILABLE if those of this link cannot be erased.
   */
  readonly eraseVisits: (urlId: number) => Promise<void>;
  /** Called after a link is empty, before the rest is deleted. */
  readonly onErased: (urlId: number, qrIds: readonly string[]) => void;
}

/** Returns the function that erases a link for the API, and waits until its rows are deleted. */
export function urlEraser(options: UrlErasureOptions) {
  const { database, eraseVisits, onErased } = options;
  return async <Presented>(
    urlId: number,
    present: (url: ShortUrl) => Presented,
    context: WriteContext,
  ): Promise<IdempotentResult<Presented | null>> => {
    const { result, replayed } = await beginErasure(options, urlId, present, context);
    if (!result) return { result: null, replayed };
    onErased(urlId, result.qrIds);
    const link = { urlId, organizationId: context.organizationId };
    await untilErased(
      () => isLinkErasurePending(database, urlId),
      async () => {
        await eraseVisits(urlId);
        await eraseLink(database, link);
      },
    );
    return { result: result.presented, replayed };
  };
}

const everyMs = 1_000;
// Requests erase links themselves, and tell of organizations to delete: for what a killed process began.
const idleEveryMs = 10_000;

/** Creates the service that deletes organizations and erases links, also what a killed process began. */
export function createDeletionService(
  database: Database,
  clock: Clock,
  logger: Logger,
): PeriodicService {
  const onFailed = (err: unknown, organizationId: string) =>
    logger.error({ organizationId, err }, 'deleting an organization failed');
  return periodicService({
    everyMs,
    idleEveryMs,
    async tick(signal) {
      let hadWork = false;
      try {
        hadWork = await eraseLinks(database, signal);
      } finally {
        // A link that cannot be erased must not keep an organization.
        hadWork = (await deleteOrganizations(database, onFailed, signal, clock())) || hadWork;
      }
      return hadWork;
    },
    onError: (err) => logger.error({ err }, 'deleting erased links failed'),
  });
}
