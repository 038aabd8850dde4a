export const svgLimits = {
  /** Elements. Each counts as often as `use` and `clip-path` draw it. */
  elements: 1000,
  /** Depth of nesting, including references. */
  depth: 32,
  /** Segments of paths and polygons. Each counts as often as it is drawn. */
  segments: 20_000,
  /** Stops of one gradient. */
  stops: 64,
  /** Length of a chain of gradients that refer to one another. */
  gradientChain: 8,
  /** Absolute value of a number. */
  number: 1_000_000,
  /** Distance of a shape from the image, as a multiple of the image's longer side. */
  reach: 100,
  /** Characters of a number, and of an id. */
  numberLength: 40,
  idLength: 128,
} as const;

export const svgNamespace = 'http://www.w3.org/2000/svg';
export const xlinkNamespace = 'http://www.w3.org/1999/xlink';
