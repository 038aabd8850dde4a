import type { HandlersOf } from '../../http/handlers.js';
import type { ClickService } from './click-service.js';
import type { clickRoutes } from './clicks-contract.js';
import { toWindow } from './report-window.js';

export function clickHandlers(service: ClickService): HandlersOf<typeof clickRoutes> {
  return {
    async getUrlClicks({ caller, params, query }) {
      const { url, question, report } = await service.urlClicks(
        caller.organizationId,
        params.id,
        query,
      );
      return {
        status: 200,
        data: {
          urlId: String(url.id),
          shortCode: url.shortCode,
          ...toWindow(question),
          ...report,
        },
      };
    },

    async getAnalyticsOverview({ caller, query }) {
      const { question, report, topUrls } = await service.overview(caller.organizationId, query);
      const { totals, breakdowns, timeseries, ...sums } = report;
      const { totalUrls, activeUrls, totalQrs, totalScans } = sums;
      return {
        status: 200,
        data: {
          ...toWindow(question),
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
