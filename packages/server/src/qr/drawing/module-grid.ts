import { QrDesignError } from './qr-design.js';

/** The width of the quiet zone in modules: ISO/IEC 18004:2015, 6.3.8. */
const quietZone = 4;

/** The smallest module. zbar cannot read modules of one pixel unless they are black on white. */
const minModulePixels = 2;

/**
 * The position of modules in an image, in pixels: the size of the image, the size of a module, and the
 * offset of the first module from the top and from the left. A module is a square of whole pixels.
 */
export type ModuleGrid = Readonly<ReturnType<typeof moduleGrid>>;

/**
 * Returns the grid with the largest modules that leave the quiet zone. Remaining pixels widen the
 * quiet zone: modules of unequal widths would fill the image, but decoders read them worse. Throws a
 * QrDesignError when the modules would be too small.
 */
export function moduleGrid(size: number, side: number) {
  const module = Math.floor(size / (side + 2 * quietZone));
  if (module >= minModulePixels) return { size, module, offset: (size - side * module) >> 1 };
  throw new QrDesignError(
    'size',
    `${size} is too small for ${side + 2 * quietZone} modules a side: scanners need ` +
      `${minModulePixels} pixels for each module`,
    [{ size: smallestSize(side, minModulePixels) }],
  );
}

/** Returns the smallest image size for modules of a given size. */
export function smallestSize(side: number, module: number): number {
  return (side + 2 * quietZone) * module;
}
