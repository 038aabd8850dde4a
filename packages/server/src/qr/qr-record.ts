import type { InferResult, Kysely, Selectable } from 'kysely';
import type { z } from 'zod';
import { columnsOf, fieldsOf, presentAs, withIsoTimes } from '../contract/present.js';
import type { Schema } from '../storage/schema.js';
import type { QrDesign, QrLogo } from './drawing/qr-design.js';
import { qrRecord } from './qr-contract.js';

/** A QR code. Instants are milliseconds since 1970. `version` increases by one with each change. */
export type QrCode = Readonly<ReturnType<typeof fromRow>>;

export type QrRecord = z.input<typeof qrRecord>;

export interface RenderedQr {
  readonly qr: QrCode;
  readonly logo: QrLogo | null;
  readonly image: Uint8Array;
}

/** Selects codes that are not deleted, for `fromRow`. */
export function selectQrs(db: Kysely<Schema>) {
  return db
    .selectFrom('qr_codes')
    .innerJoin('qr_counts', 'qr_counts.qr_id', 'qr_codes.id')
    .selectAll('qr_codes')
    .select(['downloads as download_count', 'scans as scan_count'])
    .$narrowType<{
      format: QrDesign['format'];
      error_correction: QrDesign['errorCorrection'];
      background: QrDesign['background'];
      style_preset: QrDesign['stylePreset'];
    }>()
    .where('deleted_at', 'is', null);
}

export function fromRow(row: InferResult<ReturnType<typeof selectQrs>>[number]) {
  const { deletedAt: _, ...qr } = fieldsOf(row);
  return qr;
}

export function toQrRow({ downloadCount, scanCount, ...qr }: QrCode) {
  return columnsOf<Selectable<Schema['qr_codes']>>({ ...qr, deletedAt: null });
}

export function toQrRecord(qr: QrCode): QrRecord {
  return presentAs(qrRecord, {
    ...withIsoTimes(qr),
    urlId: qr.urlId === null ? null : String(qr.urlId),
    downloadUrl: `/api/qr/${qr.id}/download`,
    previewUrl: `/qr/${qr.id}`,
  });
}
