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
export interface LogoProcessLimits {
  /** From the process's start until it has loaded its libraries. */
  readonly startMs: number;
  /** From the moment that the process has loaded its libraries until its answer. */
  readonly renderMs: number;
  /** Processor time, the process's start included. */
  readonly cpuSeconds: number;
  /** Private memory that it may allocate, and memory that it may have resident. */
  readonly memoryMb: number;
  /** Memory of its JavaScript heap. */
  readonly heapMb: number;
}

export const logoProcessLimits: LogoProcessLimits = {
  startMs: 15_000,
  renderMs: 10_000,
  cpuSeconds: 4,
  memoryMb: 512,
  heapMb: 64,
};

/** An image without any encoding: four bytes a pixel, row by row. */
export interface LogoRaster {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}
