import { LogoError, quote } from '../logo-error.js';
import { logoLimits } from '../logo-limits.js';
import { checkDrawingCost } from './drawing-cost.js';
import { type DrawnElement, lengthInUserUnits, type View } from './drawn-element.js';
import { parseSvg, type SvgElement } from './parse-svg.js';
import { pathData, points } from './path-data.js';
import {
  badValue,
  elementAttributes,
  isIgnored,
  localId,
  presentationProperties,
  readLength,
  readReference,
} from './svg-attributes.js';
import { svgLimits, svgNamespace } from './svg-limits.js';
import { type Matrix, transformMatrix } from './transform.js';
import { ValueScanner } from './value-scanner.js';

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
  const root = parseSvg(text);
  const ids = newIds(root);
  const view = viewOf(root);
  const drawn = readElement(root, view, ids);
  checkDrawingCost(drawn, view);
  drawn.attributes.set('width', `${view.width}`);
  drawn.attributes.set('height', `${view.height}`);
  drawn.attributes.set('viewBox', view.box.join(' '));
  drawn.attributes.set('preserveAspectRatio', view.preserveAspectRatio);
  return serialise(drawn, ` xmlns="${svgNamespace}"`);
}

/** The generated id of each element, and of each id in the document. */
interface NewIds {
  readonly ofElement: Map<SvgElement, string>;
  readonly ofId: Map<string, string>;
}

/** Assigns ids, children first. When an id is used twice, only the first element has it. */
function newIds(root: SvgElement): NewIds {
  const ids: NewIds = { ofElement: new Map(), ofId: new Map() };
  const visit = (element: SvgElement) => {
    for (const child of element.children) visit(child);
    const id = element.attributes.get('id');
    if (id !== undefined && id.length <= svgLimits.idLength && !ids.ofId.has(id)) {
      const newId = `i${ids.ofId.size}`;
      ids.ofId.set(id, newId);
      ids.ofElement.set(element, newId);
    }
  };
  visit(root);
  return ids;
}

function newIdOf(id: string, { ofId }: NewIds): string {
  const newId = ofId.get(id);
  if (newId !== undefined) return newId;
  throw new LogoError(`an SVG that refers to ${quote(`#${id}`)}, which it does not have`);
}

function viewOf({ attributes }: SvgElement): View {
  const own = (name: string): number | undefined => {
    const value = attributes.get(name);
    if (value === undefined || value.trim() === 'auto') return undefined;
    const length = readLength(value, name);
    return length.isPercentage ? undefined : length.value;
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
    preserveAspectRatio: readAspect(attributes.get('preserveAspectRatio')),
  };
}

function readViewBox(value: string): [number, number, number, number] {
  const scanner = new ValueScanner(value, 'viewBox');
  const box: [number, number, number, number] = [
    scanner.number(),
    scanner.number(),
    scanner.number(),
    scanner.number(),
  ];
  if (!scanner.atEnd()) throw scanner.error('must be four numbers');
  if (!(box[2] >= 0.001 && box[3] >= 0.001)) {
    throw scanner.error('its width and height must be at least 0.001');
  }
  return box;
}

const alignments = ['Min', 'Mid', 'Max'].flatMap((x) =>
  ['Min', 'Mid', 'Max'].map((y) => `x${x}Y${y}`),
);

function readAspect(value = 'xMidYMid'): string {
  const [alignment = '', fit = 'meet', ...rest] = value.trim().split(/\s/).filter(Boolean);
  if (alignment === 'none') return 'none';
  if (!alignments.includes(alignment) || !['meet', 'slice'].includes(fit) || rest.length > 0) {
    throw badValue(
      value,
      'preserveAspectRatio',
      'must be none, or an alignment such as xMidYMid, with meet or slice',
    );
  }
  return `${alignment} ${fit}`;
}

function readElement(element: SvgElement, view: View, ids: NewIds): DrawnElement {
  const { name } = element;
  const attributes = new Map<string, string>();
  const shape = { transform: undefined as Matrix | undefined, segments: 0, farX: 0, farY: 0 };
  let href: string | undefined;
  const isRoot = name === 'svg';

  const outlineAttribute = name === 'path' ? 'd' : name.startsWith('poly') ? 'points' : undefined;
  const transformAttribute = name.endsWith('Gradient') ? 'gradientTransform' : 'transform';
  for (const [attribute, value] of element.attributes) {
    if (attribute === 'id' || (isRoot && rootAttributes.has(attribute))) continue;
    if (attribute === 'xmlns' || attribute === 'style' || isIgnored(attribute)) continue;
    // They affect only references to `svg` and `symbol`, which are not allowed.
    if (name === 'use' && (attribute === 'width' || attribute === 'height')) continue;
    if (attribute === outlineAttribute) {
      const outline = (attribute === 'd' ? pathData : points)(value, attribute);
      Object.assign(shape, { segments: outline.segments, farX: outline.farX, farY: outline.farY });
      attributes.set(attribute, outline.text);
    } else if (attribute === transformAttribute && !isRoot) {
      shape.transform = transformMatrix(value, attribute);
      attributes.set(attribute, `matrix(${shape.transform.join(' ')})`);
    } else if (attribute === 'href' && (name === 'use' || name.endsWith('Gradient'))) {
      href = newIdOf(localId(value.trim(), attribute), ids);
    } else {
      const read = elementAttributes[name]?.get(attribute) ?? presentationProperties.get(attribute);
      if (!read) throw unknownAttribute(attribute, name);
      attributes.set(attribute, read(value, attribute));
    }
  }
  readStyle(element.attributes.get('style') ?? '', name, attributes);
  let clipPath: string | undefined;
  for (const [attribute, value] of attributes) {
    if (!value.startsWith('url(')) continue;
    const { id, rest } = readReference(value, attribute);
    const newId = newIdOf(id, ids);
    if (attribute === 'clip-path') clipPath = newId;
    attributes.set(attribute, `url(#${newId})${rest === '' ? '' : ` ${rest}`}`);
  }
  const drawn: DrawnElement = {
    name,
    id: ids.ofElement.get(element),
    attributes,
    children: element.children.map((child) => readElement(child, view, ids)),
    href,
    clipPath,
    ...shape,
    ...(outlineAttribute === undefined && farPoint(name, attributes, view)),
  };
  if (drawn.name.endsWith('Gradient') && drawn.children.length > svgLimits.stops) {
    throw new LogoError(`an SVG with a gradient of more than ${svgLimits.stops} stops`);
  }
  return drawn;
}

const rootAttributes = new Set(['viewBox', 'width', 'height', 'preserveAspectRatio', 'x', 'y']);

/** Reads the declarations of a `style` attribute, which override attributes. */
function readStyle(style: string, element: string, attributes: Map<string, string>): void {
  for (const declaration of style.split(';')) {
    if (declaration.trim() === '') continue;
    const colon = declaration.indexOf(':');
    const property = declaration.slice(0, Math.max(colon, 0)).trim();
    if (colon < 0) throw badValue(declaration, 'style', 'a declaration must be property: value');
    if (isIgnored(property)) continue;
    const read = presentationProperties.get(property);
    if (!read) throw unknownAttribute(property, element);
    attributes.set(property, read(declaration.slice(colon + 1), property));
  }
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
  name: string,
  attributes: ReadonlyMap<string, string>,
  view: View,
): { readonly farX: number; readonly farY: number } {
  const far = (names: readonly string[]) =>
    names.reduce((sum, each) => sum + Math.abs(lengthInUserUnits(attributes.get(each), view)), 0);
  // A gradient is only visible inside the shape that it fills.
  if (name.endsWith('Gradient')) return { farX: 0, farY: 0 };
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
