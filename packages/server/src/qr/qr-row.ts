import type { Kysely, Selectable } from 'kysely';
import type { Schema } from '../storage/schema.js';
import type { QrCode } from './qr-code.js';

/** The columns of a code and its counts. */
type QrRow = Selectable<Schema['qr_codes']> & { scans: number; downloads: number };

/** Selects codes that are not deleted, with the columns that `fromQrRow` needs. */
export function selectQrs(db: Kysely<Schema>) {
  return db
    .selectFrom('qr_codes')
    .innerJoin('qr_counts', 'qr_counts.qr_id', 'qr_codes.id')
    .selectAll('qr_codes')
    .select(['qr_counts.scans', 'qr_counts.downloads'])
    .where('qr_codes.deleted_at', 'is', null);
}

export function toQrRow(qr: QrCode): Selectable<Schema['qr_codes']> {
  return {
    id: qr.id,
    organization_id: qr.organizationId,
    url_id: qr.urlId,
    qr_data: qr.qrData,
    format: qr.format,
    size: qr.size,
    error_correction: qr.errorCorrection,
    foreground_color: qr.foregroundColor,
    background_color: qr.backgroundColor,
    logo_url: qr.logoUrl,
    style_preset: qr.stylePreset,
    version: qr.version,
    created_at: qr.createdAt,
    updated_at: qr.updatedAt,
    deleted_at: null,
  };
}

export function fromQrRow(row: QrRow): QrCode {
  return {
    id: row.id,
    organizationId: row.organization_id,
    urlId: row.url_id,
    qrData: row.qr_data,
    format: row.format as QrCode['format'],
    size: row.size,
    errorCorrection: row.error_correction as QrCode['errorCorrection'],
    foregroundColor: row.foreground_color,
    backgroundColor: row.background_color,
    logoUrl: row.logo_url,
    stylePreset: row.style_preset as QrCode['stylePreset'],
    version: row.version,
    downloadCount: row.downloads,
    scanCount: row.scans,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
