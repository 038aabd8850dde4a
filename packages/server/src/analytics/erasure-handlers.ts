import type { HandlersOf } from '../http/handlers.js';
import { writeOnce } from '../idempotency/with-idempotency-key.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import type { erasureRoutes } from './erasure-contract.js';
import { isErasurePending, markErased, untilErased } from './ingest/erase-visits.js';
import type { ReportSources } from './reports/report-handlers.js';

interface ErasureSources extends Pick<ReportSources, 'getUrl'> {
  readonly database: Database;
  readonly clock: Clock;
  /**
   * Erases the visits of marked links. Returns after some seconds at most, and continues then. Throws
   * UNAVAILABLE if those of this link cannot be erased.
   */
  readonly erase: (urlId: number) => Promise<void>;
}

export function erasureHandlers({
  getUrl,
  database,
  clock,
  erase,
}: ErasureSources): HandlersOf<typeof erasureRoutes> {
  return {
    async eraseUrlVisits({ caller, params, context }) {
      const { id } = await getUrl(caller, params.id);
      const options = { ...context, audit: { type: 'url', id } } as const;
      const { result, replayed } = await writeOnce(database, options, async (transaction) => {
        const erasedUntil = clock();
        await markErased(transaction, id, erasedUntil);
        return { urlId: String(id), erasedUntil: new Date(erasedUntil).toISOString() };
      });
      await untilErased(
        () => isErasurePending(database.read, id),
        () => erase(id),
      );
      return { status: 200, replayed, data: result };
    },
  };
}
