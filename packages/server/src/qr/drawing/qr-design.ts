export type QrFormat = 'png' | 'svg' | 'webp';
export type QrErrorCorrection = 'L' | 'M' | 'Q' | 'H';
export type QrStylePreset = 'default' | 'rounded' | 'dots' | 'classy';

/** All that decides what an image looks like: equal designs give equal bytes. */
export interface QrDesign {
  readonly payload: string;
  /** Pixels of a side, quiet zone included. */
  readonly size: number;
  readonly format: QrFormat;
  readonly errorCorrection: QrErrorCorrection;
  /** `#RRGGBB`, as is the background's. */
  readonly foregroundColor: string;
  readonly backgroundColor: string;
  readonly stylePreset: QrStylePreset;
  readonly logo: QrLogo | null;
}

/** A logo as `encodeLogo` stores it: an sRGB PNG with alpha that holds no byte of the sender's. */
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

/** A design that no scanner could be trusted with. The message says why, and what would work. */
export class QrDesignError extends Error {
  override readonly name = 'QrDesignError';
  readonly field: QrDesignField;
  /** The smallest size in pixels that serves; only when the size is at fault. */
  readonly smallestSize?: number;

  constructor(field: QrDesignField, message: string, smallestSize?: number) {
    super(message);
    this.field = field;
    if (smallestSize !== undefined) this.smallestSize = smallestSize;
  }
}
