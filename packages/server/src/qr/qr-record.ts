import type { InferResult, Kysely, Selectable } from 'kysely';
import type { z } from 'zod';
import { presentAs, withIsoTimes } from '../contract/present.js';
import type { Schema } from '../storage/schema.js';
import type { QrDesign, QrLogo } from './drawing/qr-design.js';
import { qrRecord } from './qr-contract.js';

/** A QR code. Instants are milliseconds since 1970. `version` increases by one with each change. */
export type QrCode = Readonly<InferResult<ReturnType<typeof selectQrs>>[number]>;

/** A QR code as the API presents it. */
export type QrRecord = z.input<typeof qrRecord>;

/** A QR code with its stored logo and its image. */
export interface RenderedQr {
  readonly qr: QrCode;
  readonly logo: QrLogo | null;
  readonly image: Uint8Array;
}

/** Selects codes that are not deleted. */
export function selectQrs(db: Kysely<Schema>) {
  return db
    .selectFrom('qr_codes')
    .innerJoin('qr_counts', 'qr_counts.qr_id', 'qr_codes.id')
    .select([
      'qr_codes.id',
      'organization_id as organizationId',
      'url_id as urlId',
      'qr_data as qrData',
      'format',
      'size',
      'error_correction as errorCorrection',
      'foreground_color as foregroundColor',
      'background_color as backgroundColor',
      'logo_url as logoUrl',
      'margin',
      'background',
      'style_preset as stylePreset',
      'version',
      'downloads as downloadCount',
      'scans as scanCount',
      'created_at as createdAt',
      'updated_at as updatedAt',
    ])
    .$narrowType<Pick<QrDesign, 'format' | 'errorCorrection' | 'background' | 'stylePreset'>>()
    .where('deleted_at', 'is', null);
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
    margin: qr.margin,
    background: qr.background,
    style_preset: qr.stylePreset,
    version: qr.version,
    created_at: qr.createdAt,
    updated_at: qr.updatedAt,
    deleted_at: null,
  };
}

/** Returns the record that the API responds with. Specification, "QR record". */
export function toQrRecord(qr: QrCode): QrRecord {
  return presentAs(qrRecord, {
    ...withIsoTimes(qr),
    urlId: qr.urlId === null ? null : String(qr.urlId),
    downloadUrl: `/api/qr/${qr.id}/download`,
    previewUrl: `/qr/${qr.id}`,
  });
}
