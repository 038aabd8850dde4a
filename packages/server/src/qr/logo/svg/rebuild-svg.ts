import { LogoError, quote } from '../logo-error.js';
import { logoLimits } from '../logo-limits.js';
import { DrawingEffort } from './drawing-effort.js';
import { type DrawnElement, type View, writtenLength } from './drawn-element.js';
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
 * Writes an SVG anew from what is allowed of it, so that nothing else reaches a renderer: no
 * character of the document is copied. Throws a LogoError that names what is not allowed.
 */
export function rebuildSvg(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new LogoError('an SVG that is not in UTF-8');
  }
  const root = parseSvg(text);
  const view = viewOf(root);
  const elements = new Map<string, DrawnElement>();
  const drawn = drawnElement(root, view, elements);
  new DrawingEffort(elements).check(drawn, view);

  const names = new Map([...elements.keys()].map((id, index) => [id, `i${index}`]));
  const ids = new Map([...elements].map(([id, element]) => [element, names.get(id) ?? '']));
  drawn.attributes.set('width', `${view.width}`);
  drawn.attributes.set('height', `${view.height}`);
  drawn.attributes.set('viewBox', view.box.join(' '));
  drawn.attributes.set('preserveAspectRatio', view.preserveAspectRatio);
  return serialise(drawn, { names, ids }, ` xmlns="${svgNamespace}"`);
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
  // Without either, the default size of replaced elements in browsers.
  const width = ownWidth ?? (ownHeight && box ? (ownHeight * box[2]) / box[3] : (box?.[2] ?? 300));
  const height = ownHeight ?? (ownWidth && box ? (ownWidth * box[3]) / box[2] : (box?.[3] ?? 150));
  for (const [name, side] of [
    ['width', width],
    ['height', height],
  ] as const) {
    if (!(side >= 0.001 && side <= svgLimits.number)) {
      throw new LogoError(`an SVG whose ${name} is ${side}: it is 0.001 to ${svgLimits.number}`);
    }
  }
  if (Math.max(width, height) > logoLimits.aspectRatio * Math.min(width, height)) {
    throw new LogoError(
      `an SVG of ${width} by ${height}: one side may be ${logoLimits.aspectRatio} times the other`,
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
  if (!scanner.atEnd()) throw scanner.fault('it is four numbers');
  if (!(box[2] >= 0.001 && box[3] >= 0.001)) {
    throw scanner.fault('its width and height are at least 0.001');
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
    throw badValue(value, 'preserveAspectRatio', 'it is none, or as xMidYMid with meet or slice');
  }
  return `${alignment} ${fit}`;
}

function drawnElement(
  element: SvgElement,
  view: View,
  elements: Map<string, DrawnElement>,
): DrawnElement {
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
    // They would need what is inside to have a size of its own.
    if (name === 'use' && (attribute === 'width' || attribute === 'height')) continue;
    if (attribute === outlineAttribute) {
      const outline = (attribute === 'd' ? pathData : points)(value, attribute);
      Object.assign(shape, { segments: outline.segments, farX: outline.farX, farY: outline.farY });
      attributes.set(attribute, outline.text);
    } else if (attribute === transformAttribute && !isRoot) {
      shape.transform = transformMatrix(value, attribute);
      attributes.set(attribute, `matrix(${shape.transform.join(' ')})`);
    } else if (attribute === 'href' && (name === 'use' || name.endsWith('Gradient'))) {
      href = localId(value.trim(), attribute);
    } else {
      const read = elementAttributes[name]?.get(attribute) ?? presentationProperties.get(attribute);
      if (!read) throw unknownAttribute(attribute, name);
      attributes.set(attribute, read(value, attribute));
    }
  }
  readStyle(element.attributes.get('style') ?? '', name, attributes);

  const clip = attributes.get('clip-path') ?? 'none';
  const drawn: DrawnElement = {
    name,
    attributes,
    children: element.children.map((child) => drawnElement(child, view, elements)),
    href,
    clipPath: clip === 'none' ? undefined : readReference(clip, 'clip-path').id,
    ...shape,
    ...(outlineAttribute === undefined && farPoint(name, attributes, view)),
  };
  if (drawn.name.endsWith('Gradient') && drawn.children.length > svgLimits.stops) {
    throw new LogoError(`an SVG with a gradient of more than ${svgLimits.stops} stops`);
  }
  const id = element.attributes.get('id');
  // Where an id is used twice, the first element has it, as in a browser.
  if (id !== undefined && id.length <= svgLimits.idLength) {
    if (!elements.has(id)) elements.set(id, drawn);
  }
  return drawn;
}

const rootAttributes = new Set(['viewBox', 'width', 'height', 'preserveAspectRatio', 'x', 'y']);

/** Declarations win over attributes. */
function readStyle(style: string, element: string, attributes: Map<string, string>): void {
  for (const declaration of style.split(';')) {
    if (declaration.trim() === '') continue;
    const colon = declaration.indexOf(':');
    const property = declaration.slice(0, Math.max(colon, 0)).trim();
    if (colon < 0) throw badValue(declaration, 'style', 'a declaration is property: value');
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

/** How far an element reaches by its lengths: no farther than the sum of all along an axis. */
function farPoint(
  name: string,
  attributes: ReadonlyMap<string, string>,
  view: View,
): { readonly farX: number; readonly farY: number } {
  const far = (names: readonly string[]) =>
    names.reduce((sum, each) => sum + Math.abs(writtenLength(attributes.get(each), view)), 0);
  // A gradient is as large as what it fills.
  if (name.endsWith('Gradient')) return { farX: 0, farY: 0 };
  return {
    farX: far(['x', 'width', 'cx', 'r', 'rx', 'x1', 'x2']),
    farY: far(['y', 'height', 'cy', 'r', 'ry', 'y1', 'y2']),
  };
}

interface Ids {
  /** Our name for each id of the document. */
  readonly names: ReadonlyMap<string, string>;
  /** Our name of each element that has one. */
  readonly ids: ReadonlyMap<DrawnElement, string>;
}

function serialise(element: DrawnElement, ids: Ids, more = ''): string {
  const id = ids.ids.get(element);
  let markup = `<${element.name}${more}${id === undefined ? '' : ` id="${id}"`}`;
  if (element.href !== undefined) markup += ` href="#${nameOf(element.href, ids)}"`;
  for (const [attribute, value] of element.attributes) {
    let written = value;
    if (value.startsWith('url(')) {
      const { id: target, rest } = readReference(value, attribute);
      written = `url(#${nameOf(target, ids)})${rest === '' ? '' : ` ${rest}`}`;
    }
    markup += ` ${attribute}="${written}"`;
  }
  const inside = element.children.map((child) => serialise(child, ids)).join('');
  return `${markup}>${inside}</${element.name}>`;
}

function nameOf(target: string, { names }: Ids): string {
  const name = names.get(target);
  if (name === undefined) {
    throw new LogoError(`an SVG that refers to ${quote(`#${target}`)}, which it does not have`);
  }
  return name;
}
