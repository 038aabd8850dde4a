/** The limits of logo files. `docs/reference/limits.md` lists most of them. */
export const logoLimits = {
  /** Bytes of a PNG, JPEG or WebP file. */
  rasterBytes: 1024 * 1024,
  /** Bytes of an SVG file. */
  svgBytes: 64 * 1024,
  /** Pixels of a decoded PNG, JPEG or WebP: 64 MB of memory. */
  decodedPixels: 4096 * 4096,
  /** Pixels of the longer side of the stored logo. */
  side: 512,
  /** The longer side divided by the shorter one. */
  aspectRatio: 8,
} as const;

export type LogoProcessLimits = Readonly<typeof logoProcessLimits>;

/** The limits of a logo process. The server kills a process that exceeds one. */
export const logoProcessLimits = {
  /** Time from the start of the process until it has loaded its libraries. */
  startMs: 15_000,
  /** Time from the end of the start until the result. */
  renderMs: 10_000,
  /** Processor time, including the start. */
  cpuSeconds: 4,
  /** Limit of its private memory (`ulimit -d`), and of its resident memory. */
  memoryMb: 512,
  /** Limit of its JavaScript heap. */
  heapMb: 64,
};

/** Exit codes of a logo process without a result. Any other end means that it exceeded a limit. */
export const logoExitCodes = { refusal: 2, error: 3 } as const;

/** A decoded image: four bytes a pixel, row by row. */
export interface LogoRaster {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}
