/** Modules of the light frame that every side needs: ISO/IEC 18004:2015, 6.3.8. */
export const quietZone = 4;

/** Modules of one pixel are lost by zbar unless they are black on white. */
export const smallestModule = 2;

/** Where modules lie in an image. Each is a square of whole pixels. */
export interface ModuleGrid {
  /** Pixels of an image's side. */
  readonly size: number;
  /** Pixels of a module's side. */
  readonly module: number;
  /** Pixels before the first module, above and at the left alike. */
  readonly offset: number;
}

/**
 * The largest whole modules that leave a quiet zone of at least four; what is left over widens it.
 * Modules of unequal widths would fill the image, but they blur and read worse.
 */
export function moduleGrid(size: number, side: number): ModuleGrid {
  const module = Math.floor(size / (side + 2 * quietZone));
  return { size, module, offset: (size - side * module) >> 1 };
}

/** The smallest image with modules of so many pixels. */
export function smallestSize(side: number, module: number): number {
  return (side + 2 * quietZone) * module;
}
