import type { HandlersOf } from '../../http/handlers.js';
import { toWindow } from './report-window.js';
import type { ScanService } from './scan-service.js';
import type { scanRoutes } from './scans-contract.js';

export function scanHandlers(service: ScanService): HandlersOf<typeof scanRoutes> {
  return {
    async getQrScans({ caller, params, query }) {
      const { urlId, question, report } = await service.qrScans(
        caller.organizationId,
        params.id,
        query,
      );
      return {
        status: 200,
        data: {
          qrCodeId: params.id,
          urlId: urlId === null ? null : String(urlId),
          ...toWindow(question),
          ...report,
        },
      };
    },
  };
}
