import { ApiError, notFound } from '../contract/api-error.js';
import type { PageRange } from '../contract/fields.js';
import type { PageText } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import type { Clock } from '../ports.js';
import { operatorOwner } from '../storage/database.js';
import type { abuseAdminRoutes } from './abuse-contract.js';
import type { AbuseRepository } from './abuse-repository.js';
import { type AbuseReportRecord, toReportRecord } from './present-report.js';

export interface AbuseHandlerOptions {
  readonly reports: AbuseRepository;
  readonly listAbuseReports: (
    owner: string,
    status: 'open' | 'resolved',
    range: PageRange,
  ) => Promise<PageText<AbuseReportRecord>>;
  readonly clock: Clock;
  /** Called after a link was taken down, before the response. */
  readonly onChanged: (ids: readonly number[]) => void;
}

const list = { name: 'abuse reports', organizationId: operatorOwner, ids: 'text' } as const;

/** Lists and resolves reports of links, for the operator. */
export function abuseHandlers({
  reports,
  listAbuseReports,
  clock,
  onChanged,
}: AbuseHandlerOptions): HandlersOf<typeof abuseAdminRoutes> {
  return {
    async listAbuseReports({ query: { status, ...query } }) {
      const { filter, reply } = openPage(list, query);
      return reply(await listAbuseReports(operatorOwner, status, filter));
    },

    async getAbuseReport({ params: { id } }) {
      const report = await reports.find(id);
      if (!report) throw notFound('abuse report', id);
      return { status: 200, data: toReportRecord(report) };
    },

    async resolveAbuseReport({ params: { id }, body, write }) {
      const { result, replayed } = await reports.resolve(id, body, clock(), write);
      if (!result) throw notFound('abuse report', id, replayed);
      if (result === 'no-link') {
        const message = 'There is no link with this short URL: dismiss the report';
        throw new ApiError('NOT_FOUND', message, { replayed });
      }
      if (result.urlId !== null) onChanged([result.urlId]);
      return { status: 200, replayed, data: toReportRecord(result.report) };
    },
  };
}
