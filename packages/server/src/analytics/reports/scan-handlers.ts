import type { Handlers } from '../../http/handlers.js';
import { toWindow } from './click-window.js';
import type { ScanService } from './scan-service.js';

export function scanHandlers(service: ScanService): Pick<Handlers, 'getQrScans'> {
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
