import { LogoError, quote } from '../logo-error.js';
import { svgLimits } from './svg-limits.js';
import { ValueScanner } from './value-scanner.js';

/** Parses the value of an attribute and serialises it. Throws a LogoError. */
type ReadValue = (value: string, attribute: string) => string;

const pixelsOfUnit: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 96 / 72,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
};

/** Parses a length in pixels or as a percentage. */
export function readLength(
  value: string,
  attribute: string,
): { readonly value: number; readonly isPercentage: boolean } {
  const scanner = new ValueScanner(value.trim(), attribute);
  const number = scanner.number();
  const unit = scanner.rest().trim();
  if (unit === '%') return { value: number, isPercentage: true };
  const factor = pixelsOfUnit[unit];
  if (factor === undefined)
    throw scanner.error('the unit of a length must be one of px pt pc in cm mm %');
  return { value: number * factor, isPercentage: false };
}

const length: ReadValue = (value, attribute) => {
  const { value: number, isPercentage } = readLength(value, attribute);
  return isPercentage ? `${number}%` : `${number}`;
};

const number: ReadValue = (value, attribute) => {
  const scanner = new ValueScanner(value, attribute);
  const read = scanner.number();
  if (!scanner.atEnd()) throw scanner.error('must be one number');
  return `${read}`;
};

const numberOrPercentage: ReadValue = (value, attribute) => {
  const scanner = new ValueScanner(value.trim(), attribute);
  const read = scanner.number();
  const unit = scanner.rest();
  if (unit !== '' && unit !== '%') throw scanner.error('must be a number or a percentage');
  return `${unit === '%' ? read / 100 : read}`;
};

const lengthOrAuto: ReadValue = (value, attribute) =>
  value.trim() === 'auto' ? 'auto' : length(value, attribute);

/** Accepts one of these words. */
function words(...allowed: readonly string[]): ReadValue {
  return (value, attribute) => {
    const word = value.trim();
    if (allowed.includes(word)) return word;
    throw badValue(value, attribute, `must be one of ${allowed.join(', ')}`);
  };
}

/** Accepts a list of these words. */
function wordList(...allowed: readonly string[]): ReadValue {
  return (value, attribute) => {
    const list = value.trim().split(/\s/).filter(Boolean);
    if (list.length <= allowed.length && list.every((word) => allowed.includes(word))) {
      return list.join(' ');
    }
    throw badValue(value, attribute, `must be a list of ${allowed.join(', ')}`);
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
const paint: ReadValue = (value, attribute) => {
  const text = value.trim();
  if (!text.startsWith('url(')) return colour(text, attribute);
  const { id, rest } = readReference(text, attribute);
  return rest === '' ? `url(#${id})` : `url(#${id}) ${colour(rest, attribute)}`;
};

const clipPath: ReadValue = (value, attribute) => {
  if (value.trim() === 'none') return 'none';
  const { id, rest } = readReference(value.trim(), attribute);
  if (rest !== '') throw badValue(value, attribute, 'must be none or url(#id)');
  return `url(#${id})`;
};

/** Parses `url(#id)` at the start of a value. */
export function readReference(
  text: string,
  attribute: string,
): { readonly id: string; readonly rest: string } {
  const end = text.indexOf(')');
  if (!text.startsWith('url(') || end < 0) {
    throw badValue(text, attribute, 'a reference must be url(#id)');
  }
  const inside = text.slice(4, end).trim();
  const first = inside[0];
  const isQuoted = (first === '"' || first === "'") && inside.length > 1 && inside.endsWith(first);
  const target = isQuoted ? inside.slice(1, -1).trim() : inside;
  return { id: localId(target, attribute), rest: text.slice(end + 1).trim() };
}

/** Returns the id of a reference `#id`. Throws a LogoError for any other reference. */
export function localId(target: string, attribute: string): string {
  if (target.length < 2 || !target.startsWith('#')) {
    throw new LogoError(
      `an SVG with an external reference: ${quote(attribute)} is ${quote(target)}, but must be #id`,
    );
  }
  const id = target.slice(1);
  if (id.length > svgLimits.idLength) {
    throw badValue(target, attribute, `an id must have at most ${svgLimits.idLength} characters`);
  }
  return id;
}

const only = (allowed: string): ReadValue => words(allowed);

/** Properties of painting, allowed as attributes and in a `style` attribute. */
export const presentationProperties: ReadonlyMap<string, ReadValue> = new Map<string, ReadValue>([
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
  ['paint-order', wordList('normal', 'fill', 'stroke', 'markers')],
  ['shape-rendering', words('auto', 'optimizeSpeed', 'crispEdges', 'geometricPrecision')],
  ['vector-effect', words('none', 'non-scaling-stroke')],
  ['clip-path', clipPath],
  // Allowed only with their initial value.
  ['stroke-dasharray', only('none')],
  ['filter', only('none')],
  ['mask', only('none')],
  ['mix-blend-mode', only('normal')],
  ['marker', only('none')],
  ['marker-start', only('none')],
  ['marker-mid', only('none')],
  ['marker-end', only('none')],
]);

/** The allowed elements with their own attributes. */
export const elementAttributes: Readonly<Record<string, ReadonlyMap<string, ReadValue>>> = {
  svg: new Map(),
  g: new Map(),
  defs: new Map(),
  path: new Map(),
  polyline: new Map(),
  polygon: new Map(),
  rect: attributeMap({
    x: length,
    y: length,
    width: length,
    height: length,
    rx: lengthOrAuto,
    ry: lengthOrAuto,
  }),
  circle: attributeMap({ cx: length, cy: length, r: length }),
  ellipse: attributeMap({ cx: length, cy: length, rx: lengthOrAuto, ry: lengthOrAuto }),
  line: attributeMap({ x1: length, y1: length, x2: length, y2: length }),
  use: attributeMap({ x: length, y: length }),
  clipPath: attributeMap({ clipPathUnits: only('userSpaceOnUse') }),
  linearGradient: gradient({ x1: length, y1: length, x2: length, y2: length }),
  radialGradient: gradient({
    cx: length,
    cy: length,
    r: length,
    fx: length,
    fy: length,
    fr: length,
  }),
  stop: attributeMap({ offset: numberOrPercentage }),
};

function attributeMap(attributes: Record<string, ReadValue>): ReadonlyMap<string, ReadValue> {
  return new Map(Object.entries(attributes));
}

function gradient(attributes: Record<string, ReadValue>): ReadonlyMap<string, ReadValue> {
  return attributeMap({
    ...attributes,
    gradientUnits: words('userSpaceOnUse', 'objectBoundingBox'),
    spreadMethod: words('pad', 'reflect', 'repeat'),
  });
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

export function badValue(value: string, attribute: string, rule: string): LogoError {
  return new LogoError(
    `an SVG whose attribute ${quote(attribute)} has the value ${quote(value)}: ${rule}`,
  );
}
