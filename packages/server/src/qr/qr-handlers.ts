import type { HandlersOf } from '../http/handlers.js';
import { toQrRecord } from './present-qr.js';
import type { QrCode } from './qr-code.js';
import type { qrRoutes } from './qr-contract.js';
import type { QrService } from './qr-service.js';

export function qrHandlers(service: QrService): HandlersOf<typeof qrRoutes> {
  return {
    async createQr({ caller, body, idempotency }) {
      const { qr, replayed } = await service.create(caller.organizationId, body, idempotency);
      return { status: 201, replayed, data: toQrRecord(qr) };
    },

    async listQrs({ caller, query }) {
      return toPage(query, await service.list(caller.organizationId, query));
    },

    async listUrlQrs({ caller, params, query }) {
      return toPage(query, await service.listOfUrl(caller.organizationId, params.id, query));
    },

    async getQr({ caller, params }) {
      const qr = await service.get(caller.organizationId, params.id);
      return { status: 200, data: toQrRecord(qr) };
    },

    async updateQr({ caller, params, body }) {
      const qr = await service.update(caller.organizationId, params.id, body);
      return { status: 200, data: toQrRecord(qr) };
    },

    async deleteQr({ caller, params }) {
      const qr = await service.delete(caller.organizationId, params.id);
      return { status: 200, data: toQrRecord(qr) };
    },
  };
}

function toPage(
  { limit, offset }: { limit: number; offset: number },
  { total, qrs }: { total: number; qrs: readonly QrCode[] },
) {
  return { status: 200, data: { total, limit, offset, items: qrs.map(toQrRecord) } };
}
