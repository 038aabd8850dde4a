/** The limits of logo files. `docs/security/limits.md` lists these numbers. */
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

/** The limits of a logo process. The server kills a process that exceeds one. */
export interface LogoProcessLimits {
  /** Time from the start of the process until it has loaded its libraries. */
  readonly startMs: number;
  /** Time from the end of the start until the result. */
  readonly renderMs: number;
  /** Processor time, including the start. */
  readonly cpuSeconds: number;
  /** Limit of its private memory (`ulimit -d`), and of its resident memory. */
  readonly memoryMb: number;
  /** Limit of its JavaScript heap. */
  readonly heapMb: number;
}

export const logoProcessLimits: LogoProcessLimits = {
  startMs: 15_000,
  renderMs: 10_000,
  cpuSeconds: 4,
  memoryMb: 512,
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
