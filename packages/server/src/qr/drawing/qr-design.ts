export const formats = ['png', 'svg', 'webp'] as const;
export const errorCorrections = ['L', 'M', 'Q', 'H'] as const;
export const backgrounds = ['solid', 'transparent'] as const;
/** The width of the quiet zone that scanners need, in modules: ISO/IEC 18004:2015, 6.3.8. */
export const quietZone = 4;
export const stylePresets = ['default', 'rounded', 'dots', 'classy'] as const;

export type QrFormat = (typeof formats)[number];
export type QrErrorCorrection = (typeof errorCorrections)[number];
export type QrBackground = (typeof backgrounds)[number];
export type QrStylePreset = (typeof stylePresets)[number];

/** Everything that determines an image: equal designs give equal bytes. */
export interface QrDesign {
  readonly payload: string;
  readonly size: number;
  readonly format: QrFormat;
  readonly errorCorrection: QrErrorCorrection;
  /** `#RRGGBB`, as `backgroundColor`. */
  readonly foregroundColor: string;
  readonly backgroundColor: string;
  /** A transparent image is checked on its background color. */
  readonly background: QrBackground;
  /** The least width of the quiet zone in modules. */
  readonly margin: number;
  readonly stylePreset: QrStylePreset;
  readonly logo: QrLogo | null;
}

/** A logo that `encodeLogo` has encoded: an sRGB PNG with alpha. It has no bytes of the original file. */
export interface QrLogo {
  readonly width: number;
  readonly height: number;
  readonly png: Uint8Array;
}

export type QrDesignField = 'data' | 'size' | 'foregroundColor' | 'logoUrl';

/** A design that scanners cannot read reliably. The message has the reason. */
export class QrDesignError extends Error {
  override readonly name = 'QrDesignError';
  readonly field: QrDesignField;

  constructor(field: QrDesignField, message: string) {
    super(message);
    this.field = field;
  }
}
