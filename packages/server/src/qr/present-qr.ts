import type { z } from 'zod';
import type { QrCode } from './qr-code.js';
import type { qrRecord } from './qr-contract.js';

/** Returns the record that the API responds with. Specification, "QR record". */
export function toQrRecord(qr: QrCode): z.input<typeof qrRecord> {
  return {
    id: qr.id,
    urlId: qr.urlId === null ? null : String(qr.urlId),
    organizationId: qr.organizationId,
    qrData: qr.qrData,
    format: qr.format,
    size: qr.size,
    errorCorrection: qr.errorCorrection,
    foregroundColor: qr.foregroundColor,
    backgroundColor: qr.backgroundColor,
    logoUrl: qr.logoUrl,
    stylePreset: qr.stylePreset,
    downloadCount: qr.downloadCount,
    scanCount: qr.scanCount,
    downloadUrl: `/api/qr/${qr.id}/download`,
    previewUrl: `/qr/${qr.id}`,
    createdAt: new Date(qr.createdAt).toISOString(),
    updatedAt: new Date(qr.updatedAt).toISOString(),
  };
}
