import type { QrDesign, QrLogo } from './drawing/qr-design.js';

/** What a code's owner chose and may change. */
export interface QrSettings
  extends Pick<
    QrDesign,
    'format' | 'size' | 'errorCorrection' | 'foregroundColor' | 'backgroundColor'
  > {
  readonly logoUrl: string | null;
}

/** A QR code as this server knows it. Instants are milliseconds since 1970. */
export interface QrCode extends QrSettings, Pick<QrDesign, 'stylePreset'> {
  readonly id: string;
  readonly organizationId: string;
  /** The URL that it leads to; null for a standalone code. */
  readonly urlId: number | null;
  readonly qrData: string;
  /** Goes up by one with each change. */
  readonly version: number;
  readonly downloadCount: number;
  readonly scanCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A code with what is drawn of it. */
export interface DrawnQr {
  readonly qr: QrCode;
  readonly logo: QrLogo | null;
  readonly picture: Uint8Array;
}

export function designOf(qr: QrCode, logo: QrLogo | null): QrDesign {
  const { size, format, errorCorrection, foregroundColor, backgroundColor, stylePreset } = qr;
  return {
    payload: qr.qrData,
    size,
    format,
    errorCorrection,
    foregroundColor,
    backgroundColor,
    stylePreset,
    logo,
  };
}
