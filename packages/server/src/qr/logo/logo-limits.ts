/** What an image may be to serve as a logo. `docs/security/limits.md` lists these numbers. */
export const logoLimits = {
  /** Bytes of a PNG, JPEG or WebP file. */
  rasterBytes: 1024 * 1024,
  /** Bytes of an SVG file. */
  svgBytes: 64 * 1024,
  /** Pixels that a PNG, JPEG or WebP file may decode to: 64 MB of memory. */
  decodedPixels: 4096 * 4096,
  /** Pixels of the longer side of the stored logo. */
  side: 512,
  /** The longer side divided by the shorter one. */
  aspectRatio: 8,
} as const;

/** What the process that decodes one logo may use. It is killed beyond that. */
export const logoProcessLimits = {
  /** From the process's start until it has loaded its libraries. */
  startMs: 15_000,
  /** From the moment that the process has loaded its libraries until its answer. */
  renderMs: 10_000,
  /** Processor time, the process's start included. */
  cpuSeconds: 4,
  /** Private memory that it may allocate, and memory that it may have resident. */
  memoryMb: 512,
  /** Memory of its JavaScript heap. */
  heapMb: 64,
} as const;

/** An image without any encoding: four bytes a pixel, row by row. */
export interface LogoRaster {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}
