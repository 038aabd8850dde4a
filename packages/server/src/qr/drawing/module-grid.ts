import { type QrDesign, QrDesignError } from './qr-design.js';

/** The smallest module. zbar cannot read modules of one pixel unless they are black on white. */
const minModulePixels = 2;

/**
 * The position of modules in an image, in pixels: the size of the image, the size of a module, and the
 * offset of the first module from the top and from the left. A module is a square of whole pixels.
 */
export type ModuleGrid = Readonly<ReturnType<typeof moduleGrid>>;

/**
 * Returns the grid with the largest modules that leave the margin. Remaining pixels widen the
 * margin: modules of unequal widths would fill the image, but decoders read them worse. Throws a
 * QrDesignError when the modules would be too small.
 */
export function moduleGrid({ size, margin }: Pick<QrDesign, 'size' | 'margin'>, side: number) {
  const modules = side + 2 * margin;
  const module = Math.floor(size / modules);
  if (module >= minModulePixels) return { size, module, offset: (size - side * module) >> 1 };
  throw new QrDesignError(
    'size',
    `${size} is too small for ${modules} modules a side: scanners need ` +
      `${minModulePixels} pixels for each module: use size ${modules * minModulePixels}`,
  );
}
