import { LogoError, quote } from '../logo-error.js';
import { logoLimits } from '../logo-limits.js';
import {
  checkDrawingCost,
  type DrawnElement,
  lengthInUserUnits,
  type View,
} from './drawing-cost.js';
import { type Outline, pathData, points } from './outlines.js';
import { parseSvg, type SvgElement } from './parse-svg.js';
import { isIgnored, readerOf } from './svg-attributes.js';
import { svgLimits, svgNamespace } from './svg-limits.js';
import { badValue, localId, readLength, readNumbers } from './svg-values.js';
import { type Matrix, transformMatrix } from './transform.js';

/**
 * Writes a new SVG from the allowed elements and attributes of a document. Every value is parsed
 * and serialised again, so no other content reaches the renderer. Throws a LogoError that names the
 * first content that is not allowed.
 */
export function rebuildSvg(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new LogoError('an SVG that is not in UTF-8');
  }
  const { root, newIds } = parseSvg(text);
  const view = viewOf(root);
  const drawn = readElement(root, view, (id) => {
    const newId = newIds.get(id);
    if (newId !== undefined) return newId;
    throw new LogoError(`an SVG that refers to ${quote(`#${id}`)}, which it does not have`);
  });
  checkDrawingCost(drawn, view);
  drawn.attributes.set('width', `${view.width}`);
  drawn.attributes.set('height', `${view.height}`);
  drawn.attributes.set('viewBox', view.box.join(' '));
  return serialise(drawn, ` xmlns="${svgNamespace}"`);
}

function viewOf({ attributes }: SvgElement): View {
  const own = (name: string): number | undefined => {
    const value = attributes.get(name);
    if (value === undefined || value.trim() === 'auto') return undefined;
    const length = readLength(value, name);
    return length.isPercentage ? undefined : length.number;
  };
  const viewBox = attributes.get('viewBox');
  const [ownWidth, ownHeight] = [own('width'), own('height')];
  const box = viewBox === undefined ? undefined : readViewBox(viewBox);
  // The defaults of browsers for images without a size.
  const width = ownWidth ?? (ownHeight && box ? (ownHeight * box[2]) / box[3] : (box?.[2] ?? 300));
  const height = ownHeight ?? (ownWidth && box ? (ownWidth * box[3]) / box[2] : (box?.[3] ?? 150));
  for (const [name, side] of [
    ['width', width],
    ['height', height],
  ] as const) {
    if (!(side >= 0.001 && side <= svgLimits.number)) {
      throw new LogoError(`an SVG whose ${name} is ${side}: must be 0.001 to ${svgLimits.number}`);
    }
  }
  if (Math.max(width, height) > logoLimits.aspectRatio * Math.min(width, height)) {
    throw new LogoError(
      `an SVG of ${width} by ${height}: one side may be at most ${logoLimits.aspectRatio} times the other`,
    );
  }
  const scale = logoLimits.side / Math.max(width, height);
  return {
    box: box ?? [0, 0, width, height],
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}

function readViewBox(value: string): View['box'] {
  const [left, top, width, height, ...others] = readNumbers(value, 'viewBox');
  if (
    left === undefined ||
    top === undefined ||
    width === undefined ||
    height === undefined ||
    others.length > 0
  ) {
    throw badValue(value, 'viewBox', 'must be four numbers');
  }
  if (width < 0.001 || height < 0.001) {
    throw badValue(value, 'viewBox', 'its width and height must be at least 0.001');
  }
  return [left, top, width, height];
}

function readElement(
  element: SvgElement,
  view: View,
  newIdOf: (id: string) => string,
): DrawnElement {
  const { name } = element;
  const isGradient = name.endsWith('Gradient');
  const attributes = new Map<string, string>();
  let outline: Outline | undefined;
  let transform: Matrix | undefined;
  let href: string | undefined;
  for (const [attribute, value] of element.attributes) {
    if (isSkipped(attribute, name)) continue;
    if (attribute === outlineAttributes.get(name)) {
      outline = (attribute === 'd' ? pathData : points)(value, attribute);
      attributes.set(attribute, outline.text);
    } else if (attribute === (isGradient ? 'gradientTransform' : 'transform') && name !== 'svg') {
      transform = transformMatrix(value, attribute);
      attributes.set(attribute, `matrix(${transform.join(' ')})`);
    } else if (attribute === 'href' && (name === 'use' || isGradient)) {
      href = newIdOf(localId(value.trim(), attribute));
    } else {
      const read = readerOf(attribute, name);
      if (!read) throw unknownAttribute(attribute, name);
      attributes.set(attribute, read(value, attribute, newIdOf));
    }
  }
  for (const [property, value] of declarationsOf(element)) {
    const read = readerOf(property);
    if (!read) throw unknownAttribute(property, name);
    attributes.set(property, read(value, property, newIdOf));
  }
  if (isGradient && element.children.length > svgLimits.stops) {
    throw new LogoError(`an SVG with a gradient of more than ${svgLimits.stops} stops`);
  }
  return {
    name,
    id: element.newId,
    attributes,
    children: element.children.map((child) => readElement(child, view, newIdOf)),
    transform,
    href,
    segments: outline?.segments ?? 0,
    ...(outline
      ? { farX: outline.farX, farY: outline.farY }
      : farPoint(isGradient, attributes, view)),
  };
}

const outlineAttributes = new Map([
  ['path', 'd'],
  ['polyline', 'points'],
  ['polygon', 'points'],
]);
const skippedAttributes = new Set(['id', 'xmlns', 'style']);
const rootAttributes = new Set(['viewBox', 'width', 'height', 'x', 'y']);
// They affect only references to `svg` and `symbol`, which are not allowed.
const uselessAttributes = new Set(['width', 'height']);

function isSkipped(attribute: string, element: string): boolean {
  return (
    skippedAttributes.has(attribute) ||
    isIgnored(attribute) ||
    (element === 'svg' && rootAttributes.has(attribute)) ||
    (element === 'use' && uselessAttributes.has(attribute))
  );
}

/** Returns the declarations of a `style` attribute, which override attributes. */
function declarationsOf({ attributes }: SvgElement): [property: string, value: string][] {
  const declarations = (attributes.get('style') ?? '').split(';').filter((text) => text.trim());
  return declarations
    .map((declaration): [string, string] => {
      const colon = declaration.indexOf(':');
      if (colon < 0) throw badValue(declaration, 'style', 'a declaration must be property: value');
      return [declaration.slice(0, colon).trim(), declaration.slice(colon + 1)];
    })
    .filter(([property]) => !isIgnored(property));
}

function unknownAttribute(attribute: string, element: string): LogoError {
  return new LogoError(
    attribute.toLowerCase().startsWith('on')
      ? `an SVG with event handlers (attribute ${quote(attribute)} of ${quote(element)})`
      : `an SVG with the attribute ${quote(attribute)} of ${quote(element)}, which is not allowed`,
  );
}

/** Returns an upper bound of the element's distance from the origin on each axis. */
function farPoint(
  isGradient: boolean,
  attributes: ReadonlyMap<string, string>,
  view: View,
): { readonly farX: number; readonly farY: number } {
  const far = (names: readonly string[]) =>
    names.reduce((sum, each) => sum + Math.abs(lengthInUserUnits(attributes.get(each), view)), 0);
  // A gradient is only visible inside the shape that it fills.
  if (isGradient) return { farX: 0, farY: 0 };
  return {
    farX: far(['x', 'width', 'cx', 'r', 'rx', 'x1', 'x2']),
    farY: far(['y', 'height', 'cy', 'r', 'ry', 'y1', 'y2']),
  };
}

function serialise(element: DrawnElement, namespace = ''): string {
  let markup = `<${element.name}${namespace}`;
  if (element.id !== undefined) markup += ` id="${element.id}"`;
  if (element.href !== undefined) markup += ` href="#${element.href}"`;
  for (const [attribute, value] of element.attributes) markup += ` ${attribute}="${value}"`;
  const inside = element.children.map((child) => serialise(child)).join('');
  return `${markup}>${inside}</${element.name}>`;
}
