export type QrFormat = 'png' | 'svg' | 'webp';
export type QrErrorCorrection = 'L' | 'M' | 'Q' | 'H';
export type QrStylePreset = 'default' | 'rounded' | 'dots' | 'classy';

/** Everything that determines an image: equal designs give equal bytes. */
export interface QrDesign {
  readonly payload: string;
  /** Width and height in pixels, including the quiet zone. */
  readonly size: number;
  readonly format: QrFormat;
  readonly errorCorrection: QrErrorCorrection;
  /** `#RRGGBB`, as `backgroundColor`. */
  readonly foregroundColor: string;
  readonly backgroundColor: string;
  readonly stylePreset: QrStylePreset;
  readonly logo: QrLogo | null;
}

/** A logo that `encodeLogo` has encoded: an sRGB PNG with alpha. It has no bytes of the original file. */
export interface QrLogo {
  readonly width: number;
  readonly height: number;
  readonly png: Uint8Array;
}

export type QrDesignField =
  | 'data'
  | 'size'
  | 'foregroundColor'
  | 'backgroundColor'
  | 'logoUrl'
  | 'errorCorrectionLevel';

/** A design that scanners cannot read reliably. The message has the reason and an alternative. */
export class QrDesignError extends Error {
  override readonly name = 'QrDesignError';
  readonly field: QrDesignField;

  constructor(field: QrDesignField, message: string) {
    super(message);
    this.field = field;
  }
}
