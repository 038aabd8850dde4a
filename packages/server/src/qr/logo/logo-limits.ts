import { QrDesignError } from '../drawing/qr-design.js';

/** Returns the error of an image that is refused as a logo. The reason completes "logoUrl leads to …". */
export function logoError(reason: string): QrDesignError {
  return new QrDesignError('logoUrl', `leads to ${reason}`);
}

/** The limits of logo files. `docs/reference/limits.md` lists most of them. */
export const logoLimits = {
  rasterBytes: 1024 * 1024,
  svgBytes: 64 * 1024,
  /** Pixels of a decoded PNG, JPEG or WebP: 64 MB of memory. */
  decodedPixels: 4096 * 4096,
  side: 512,
  aspectRatio: 8,
} as const;

export type LogoProcessLimits = Readonly<typeof logoProcessLimits>;

/** The limits of a logo process. The server kills a process that exceeds one. */
export const logoProcessLimits = {
  /** Time from the start of the process until the result. */
  timeoutMs: 15_000,
  cpuSeconds: 4,
  memoryMb: 512,
  heapMb: 64,
};

/** The exit code of a logo process that refuses the image. */
export const logoRefusalCode = 2;

/** A decoded image: four bytes a pixel, row by row. */
export interface LogoRaster {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}
