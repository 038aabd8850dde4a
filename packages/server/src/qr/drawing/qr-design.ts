export const formats = ['png', 'svg', 'webp'] as const;
/** From the least to the most redundant. */
export const errorCorrections = ['L', 'M', 'Q', 'H'] as const;
export const stylePresets = ['default', 'rounded', 'dots', 'classy'] as const;

export type QrFormat = (typeof formats)[number];
export type QrErrorCorrection = (typeof errorCorrections)[number];
export type QrStylePreset = (typeof stylePresets)[number];

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
