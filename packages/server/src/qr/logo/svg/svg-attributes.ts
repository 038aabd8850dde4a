import { badValue, type ReadValue, readLength, readQuantity, readReference } from './svg-values.js';

const length: ReadValue = (value, attribute) => {
  const { number, isPercentage } = readLength(value, attribute);
  return isPercentage ? `${number}%` : `${number}`;
};

const number: ReadValue = (value, attribute) => {
  const { number, unit } = readQuantity(value, attribute);
  if (unit !== '') throw badValue(value, attribute, 'must be a number');
  return `${number}`;
};

const numberOrPercentage: ReadValue = (value, attribute) => {
  const { number, unit } = readQuantity(value, attribute);
  if (unit !== '' && unit !== '%') {
    throw badValue(value, attribute, 'must be a number or a percentage');
  }
  return `${unit === '%' ? number / 100 : number}`;
};

const lengthOrAuto: ReadValue = (value, attribute, newIdOf) =>
  value.trim() === 'auto' ? 'auto' : length(value, attribute, newIdOf);

/** Accepts these words and lists of them. */
function words(...allowed: readonly string[]): ReadValue {
  return (value, attribute) => {
    const list = value.trim().split(/\s/).filter(Boolean);
    if (list.length <= allowed.length && list.every((word) => allowed.includes(word))) {
      return list.join(' ');
    }
    throw badValue(value, attribute, `must be of ${allowed.join(', ')}`);
  };
}

const colourName = /^[a-z]{1,32}$/i;
const hexColour = /^#[0-9a-f]{3,8}$/i;
const colourFunction = /^(?:rgb|hsl)a?\([0-9.,%/ +-]{1,64}\)$/i;

const colour: ReadValue = (value, attribute) => {
  const text = value.trim();
  if (colourName.test(text) || hexColour.test(text) || colourFunction.test(text)) return text;
  throw badValue(value, attribute, 'must be a colour: a name, #rgb, #rrggbb, rgb() or hsl()');
};

/** Accepts a colour, or a gradient with an optional fallback colour. */
const paint: ReadValue = (value, attribute, newIdOf) => {
  const text = value.trim();
  if (!text.startsWith('url(')) return colour(text, attribute, newIdOf);
  const { id, rest } = readReference(text, attribute);
  const fallback = rest === '' ? '' : ` ${colour(rest, attribute, newIdOf)}`;
  return `url(#${newIdOf(id)})${fallback}`;
};

const clipPath: ReadValue = (value, attribute, newIdOf) => {
  if (value.trim() === 'none') return 'none';
  const { id, rest } = readReference(value.trim(), attribute);
  if (rest !== '') throw badValue(value, attribute, 'must be none or url(#id)');
  return `url(#${newIdOf(id)})`;
};

/** Returns the reader of an attribute of an element, or of a property in a `style` attribute. */
export function readerOf(attribute: string, element?: string): ReadValue | undefined {
  const isOwn = element !== undefined && elementAttributes.get(element)?.includes(attribute);
  return isOwn ? ownAttributes.get(attribute) : presentationProperties.get(attribute);
}

/** Properties of painting, allowed as attributes and in a `style` attribute. */
const presentationProperties: ReadonlyMap<string, ReadValue> = new Map<string, ReadValue>([
  ['fill', paint],
  ['stroke', paint],
  ['color', colour],
  ['stop-color', colour],
  ['opacity', numberOrPercentage],
  ['fill-opacity', numberOrPercentage],
  ['stroke-opacity', numberOrPercentage],
  ['stop-opacity', numberOrPercentage],
  ['fill-rule', words('nonzero', 'evenodd')],
  ['clip-rule', words('nonzero', 'evenodd')],
  ['stroke-width', length],
  ['stroke-linecap', words('butt', 'round', 'square')],
  ['stroke-linejoin', words('miter', 'round', 'bevel')],
  ['stroke-miterlimit', number],
  ['display', words('inline', 'block', 'none')],
  ['visibility', words('visible', 'hidden', 'collapse')],
  ['paint-order', words('normal', 'fill', 'stroke', 'markers')],
  ['shape-rendering', words('auto', 'optimizeSpeed', 'crispEdges', 'geometricPrecision')],
  ['vector-effect', words('none', 'non-scaling-stroke')],
  ['clip-path', clipPath],
  // Allowed only with their initial value.
  ['stroke-dasharray', words('none')],
  ['filter', words('none')],
  ['mask', words('none')],
  ['mix-blend-mode', words('normal')],
  ['marker', words('none')],
  ['marker-start', words('none')],
  ['marker-mid', words('none')],
  ['marker-end', words('none')],
]);

/** The allowed elements with their own attributes. `rebuildSvg` reads `d`, `points` and `href`. */
export const elementAttributes: ReadonlyMap<string, readonly string[]> = new Map([
  ['svg', ['preserveAspectRatio']],
  ['g', []],
  ['defs', []],
  ['path', []],
  ['polyline', []],
  ['polygon', []],
  ['rect', ['x', 'y', 'width', 'height', 'rx', 'ry']],
  ['circle', ['cx', 'cy', 'r']],
  ['ellipse', ['cx', 'cy', 'rx', 'ry']],
  ['line', ['x1', 'y1', 'x2', 'y2']],
  ['use', ['x', 'y']],
  ['clipPath', ['clipPathUnits']],
  ['linearGradient', ['x1', 'y1', 'x2', 'y2', 'gradientUnits', 'spreadMethod']],
  ['radialGradient', ['cx', 'cy', 'r', 'fx', 'fy', 'fr', 'gradientUnits', 'spreadMethod']],
  ['stop', ['offset']],
]);

const alignments = ['Min', 'Mid', 'Max'].flatMap((x) =>
  ['Min', 'Mid', 'Max'].map((y) => `x${x}Y${y}`),
);

const ownAttributes: ReadonlyMap<string, ReadValue> = new Map<string, ReadValue>([
  ...['x', 'y', 'width', 'height', 'x1', 'y1', 'x2', 'y2'].map(withLength),
  ...['cx', 'cy', 'r', 'fx', 'fy', 'fr'].map(withLength),
  ['preserveAspectRatio', words('none', ...alignments, 'meet', 'slice')],
  ['rx', lengthOrAuto],
  ['ry', lengthOrAuto],
  ['offset', numberOrPercentage],
  ['clipPathUnits', words('userSpaceOnUse')],
  ['gradientUnits', words('userSpaceOnUse', 'objectBoundingBox')],
  ['spreadMethod', words('pad', 'reflect', 'repeat')],
]);

function withLength(attribute: string): [string, ReadValue] {
  return [attribute, length];
}

const ignoredAttributes = new Set([
  'baseProfile',
  'class',
  'color-interpolation',
  'color-rendering',
  'contentScriptType',
  'contentStyleType',
  'cursor',
  'direction',
  'dominant-baseline',
  'enable-background',
  'fill-color',
  'focusable',
  'image-rendering',
  'isolation',
  'kerning',
  'lang',
  'letter-spacing',
  'line-height',
  'overflow',
  'pathLength',
  'pointer-events',
  'role',
  'solid-color',
  'solid-opacity',
  'stroke-dashoffset',
  'tabindex',
  'unicode-bidi',
  'version',
  'white-space',
  'word-spacing',
  'writing-mode',
  'zoomAndPan',
]);
const ignoredPrefixes = ['aria-', 'data-', 'font-', 'text-', '-'];

/** Returns whether an attribute or declaration has no effect on an image without text. */
export function isIgnored(name: string): boolean {
  return (
    ignoredAttributes.has(name) ||
    name === 'font' ||
    ignoredPrefixes.some((prefix) => name.startsWith(prefix))
  );
}
