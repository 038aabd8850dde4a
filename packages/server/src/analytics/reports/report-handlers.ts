import type { HandlersOf } from '../../http/handlers.js';
import type { clickRoutes } from './clicks-contract.js';
import type { ReportService } from './report-service.js';
import { toWindowFields } from './report-window.js';
import type { scanRoutes } from './scans-contract.js';

type ReportHandlers = HandlersOf<typeof clickRoutes> & HandlersOf<typeof scanRoutes>;

export function reportHandlers(service: ReportService): ReportHandlers {
  return {
    async getUrlClicks({ caller, params, query: clicksQuery }) {
      const { organizationId } = caller;
      const { url, query, report } = await service.getUrlClicks(
        organizationId,
        params.id,
        clicksQuery,
      );
      return {
        status: 200,
        data: {
          urlId: String(url.id),
          shortCode: url.shortCode,
          ...toWindowFields(query),
          ...report,
        },
      };
    },

    async getQrScans({ caller, params, query: clicksQuery }) {
      const { organizationId } = caller;
      const { urlId, query, report } = await service.getQrScans(
        organizationId,
        params.id,
        clicksQuery,
      );
      return {
        status: 200,
        data: {
          qrCodeId: params.id,
          urlId: urlId === null ? null : String(urlId),
          ...toWindowFields(query),
          ...report,
        },
      };
    },

    async getAnalyticsOverview({ caller, query: clicksQuery }) {
      const { organizationId } = caller;
      const { query, report, topUrls } = await service.getOverview(organizationId, clicksQuery);
      const { totals, breakdowns, timeseries } = report;
      const { totalUrls, activeUrls, totalQrs, totalScans } = report;
      return {
        status: 200,
        data: {
          ...toWindowFields(query),
          totals: { totalUrls, activeUrls, ...totals, totalQrs, totalScans },
          topUrls: topUrls.map(({ url, clicks }) => ({
            urlId: String(url.id),
            shortCode: url.shortCode,
            shortUrl: url.shortUrl,
            clicks,
          })),
          breakdowns,
          timeseries,
        },
      };
    },
  };
}
