import type { QrDesign, QrLogo } from './drawing/qr-design.js';

/** A QR code. Instants are milliseconds since 1970. */
export interface QrCode extends Omit<QrDesign, 'payload' | 'logo'> {
  readonly id: string;
  readonly organizationId: string;
  /** The URL that the code leads to; null for a standalone code. */
  readonly urlId: number | null;
  /** The payload. */
  readonly qrData: string;
  readonly logoUrl: string | null;
  /** Increases by one with each change. */
  readonly version: number;
  readonly downloadCount: number;
  readonly scanCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A QR code with its stored logo and its image. */
export interface RenderedQr {
  readonly qr: QrCode;
  readonly logo: QrLogo | null;
  readonly image: Uint8Array;
}
