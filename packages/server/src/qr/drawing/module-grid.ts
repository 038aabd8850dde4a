/** The width of the quiet zone in modules: ISO/IEC 18004:2015, 6.3.8. */
export const quietZone = 4;

/** The smallest module. zbar cannot read modules of one pixel unless they are black on white. */
export const minModulePixels = 2;

/** The position of modules in an image. A module is a square of whole pixels. */
export interface ModuleGrid {
  /** Width and height of the image in pixels. */
  readonly size: number;
  /** Width and height of a module in pixels. */
  readonly module: number;
  /** Pixels above the first module, and to its left. */
  readonly offset: number;
}

/**
 * Returns the grid with the largest modules that leave the quiet zone. Remaining pixels widen the
 * quiet zone: modules of unequal widths would fill the image, but decoders read them worse.
 */
export function moduleGrid(size: number, side: number): ModuleGrid {
  const module = Math.floor(size / (side + 2 * quietZone));
  return { size, module, offset: (size - side * module) >> 1 };
}

/** Returns the smallest image size for modules of a given size. */
export function smallestSize(side: number, module: number): number {
  return (side + 2 * quietZone) * module;
}
