export const svgLimits = {
  /** Elements, each counted as often as `use` and `clip-path` draw it. */
  elements: 1000,
  /** Elements inside one another, references included. */
  depth: 32,
  /** Segments of all paths and polygons, each counted as often as it is drawn. */
  segments: 20_000,
  /** Stops of one gradient. */
  stops: 64,
  /** Gradients that take their stops from one another. */
  gradientChain: 8,
  /** Magnitude of a number. */
  number: 1_000_000,
  /** How far beyond the image a shape may reach, as a multiple of the image's longer side. */
  reach: 100,
  /** Characters of a number, and of an id. */
  numberLength: 40,
  idLength: 128,
} as const;

export const svgNamespace = 'http://www.w3.org/2000/svg';
export const xlinkNamespace = 'http://www.w3.org/1999/xlink';
