import { SaxesParser, type SaxesTagNS } from 'saxes';
import { LogoError, quote } from './logo-error.js';

export const svgLimits = {
  /** The number of elements. An element counts once for each time that it is drawn. */
  elements: 1000,
  /** Depth of nesting, including references. */
  depth: 32,
} as const;

const svgNamespace = 'http://www.w3.org/2000/svg';
const xlinkNamespace = 'http://www.w3.org/1999/xlink';

const words = (text: string) => text.trim().split(/\s+/);

const allowedElements = new Set(
  words(`svg g defs path polyline polygon rect circle ellipse line use clipPath
    linearGradient radialGradient stop`),
);
/** Elements that are drawn only where another element refers to them. */
const drawnByReference = new Set(['defs', 'clipPath', 'linearGradient', 'radialGradient']);
/** Elements that describe the image and draw nothing. They are removed. */
const descriptions = new Set(['title', 'desc', 'metadata']);

const refusalReasons = new Map([
  ['script', 'a script'],
  ['foreignObject', 'foreign content'],
  ['image', 'an image inside: send that image itself'],
  ['feImage', 'an image inside: send that image itself'],
  ['style', 'an embedded or external style sheet: use attributes of the elements'],
]);

/** Properties that may only have their initial value, `none` or `normal`. Editors often write it. */
const initialValueOnly = words(
  'filter mask marker marker-start marker-mid marker-end mix-blend-mode stroke-dasharray',
);
/** Allowed as attributes and in a `style` attribute. */
const allowedProperties = new Set([
  ...initialValueOnly,
  ...words(`fill fill-opacity fill-rule stroke stroke-opacity stroke-width stroke-linecap
    stroke-linejoin stroke-miterlimit color opacity stop-color stop-opacity clip-path clip-rule
    display visibility paint-order shape-rendering vector-effect`),
]);
const allowedAttributes = new Set([
  ...allowedProperties,
  ...words(`id href d points transform gradientTransform gradientUnits clipPathUnits spreadMethod
    offset x y width height rx ry cx cy r fx fy fr x1 y1 x2 y2 viewBox preserveAspectRatio`),
]);
/** Attributes and properties that are removed: they have no effect on an image without text. */
const ignoredNames = new Set(
  words(`baseProfile class color-interpolation color-rendering contentScriptType contentStyleType
    cursor direction dominant-baseline enable-background fill-color focusable font image-rendering
    isolation kerning lang letter-spacing line-height overflow pathLength pointer-events role
    solid-color solid-opacity stroke-dashoffset tabindex unicode-bidi version white-space
    word-spacing writing-mode zoomAndPan`),
);
const ignoredPrefixes = ['aria-', 'data-', 'font-', 'text-', '-'];

/** An allowed element, and the elements that are drawn with it. */
interface SvgElement {
  readonly name: string;
  readonly children: SvgElement[];
  /** The ids that `href` and `clip-path` refer to. */
  readonly drawnIds: string[];
}

/**
 * Returns a new SVG with the allowed elements and attributes of a document, without text and
 * comments. Throws a LogoError that names the first content that is not allowed. Parses no values
 * except references, because the renderer ignores invalid ones.
 */
export function allowSvg(bytes: Uint8Array): string {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const openElements: SvgElement[] = [];
  const byId = new Map<string, SvgElement>();
  const references = new Set<string>();
  let root: SvgElement | undefined;
  let markup = '';
  let elementCount = 0;
  // The number of open elements that are not copied.
  let skippedDepth = 0;

  parser.on('error', (error) => {
    if (!root) throw notAnImage();
    throw new LogoError(`an image that cannot be read (svg): ${quote(error.message)}`);
  });
  parser.on('doctype', (doctype) => {
    if (doctype.includes('[')) {
      throw new LogoError('an SVG whose document type declares entities or other markup');
    }
    if (doctype.trim().split(/\s/, 1)[0]?.toLowerCase() === 'html') throw notAnImage();
  });
  parser.on('processinginstruction', ({ target }) => {
    if (skippedDepth > 0) return;
    throw new LogoError(
      target === 'xml-stylesheet'
        ? 'an SVG with an external style sheet'
        : `an SVG with the processing instruction ${quote(target)}`,
    );
  });
  parser.on('opentag', (tag) => {
    const { local: name, uri } = tag;
    const parent = openElements.at(-1);
    // Editors add elements of other namespaces, which no browser draws.
    const isSkipped = parent && (uri !== svgNamespace || descriptions.has(name));
    if (skippedDepth > 0 || isSkipped) {
      skippedDepth += 1;
      return;
    }
    if (parent) checkElement(name, parent.name);
    else checkRoot(name, uri);
    elementCount += 1;
    if (elementCount > svgLimits.elements) {
      throw new LogoError(`an SVG with more than ${svgLimits.elements} elements`);
    }
    const element: SvgElement = { name, children: [], drawnIds: [] };
    root ??= element;
    parent?.children.push(element);
    openElements.push(element);
    markup += parent ? `<${name}` : `<${name} xmlns="${svgNamespace}"`;
    for (const [attribute, value] of attributesOf(tag, parent === undefined)) {
      if (attribute === 'id') {
        // If several elements have the same id, references mean the first one.
        if (byId.has(value)) continue;
        byId.set(value, element);
      }
      const id = referenceIn(attribute, value);
      if (id !== undefined) references.add(id);
      if (id !== undefined && drawingAttributes.has(attribute)) element.drawnIds.push(id);
      markup += ` ${attribute}="${escapeValue(value)}"`;
    }
    markup += '>';
  });
  parser.on('closetag', () => {
    if (skippedDepth > 0) skippedDepth -= 1;
    else markup += `</${openElements.pop()?.name}>`;
  });

  parser.write(decode(bytes)).close();
  if (!root) throw notAnImage();
  for (const id of references) {
    if (byId.has(id)) continue;
    throw new LogoError(`an SVG that refers to the missing element ${quote(`#${id}`)}`);
  }
  checkCosts(root, byId);
  return markup;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new LogoError('an SVG that is not in UTF-8');
  }
}

function checkRoot(name: string, uri: string): void {
  if (name !== 'svg') throw notAnImage();
  if (uri === svgNamespace) return;
  throw new LogoError(`an SVG whose root element is not in the namespace ${svgNamespace}`);
}

function checkElement(name: string, parent: string): void {
  const reason = refusalReasons.get(name);
  if (reason) throw new LogoError(`an SVG with ${reason} (element ${quote(name)})`);
  if (allowedElements.has(name) && name !== 'svg') return;
  throw new LogoError(
    `an SVG with the element ${quote(name)} inside ${quote(parent)}: only ${[...allowedElements].join(', ')} are allowed, ` +
      'and svg only as the root; convert text to paths',
  );
}

/** Returns the allowed attributes of an element. Declarations in its `style` become attributes. */
function attributesOf(tag: SaxesTagNS, isRoot: boolean): Map<string, string> {
  const attributes = new Map<string, string>();
  const set = (allowed: ReadonlySet<string>, name: string, value: string) => {
    if (ignoredNames.has(name) || ignoredPrefixes.some((prefix) => name.startsWith(prefix))) return;
    if (!allowed.has(name)) throw unknownAttribute(name, tag.local);
    if (initialValueOnly.includes(name) && !['none', 'normal'].includes(value.trim())) {
      throw badValue(name, value, 'must be none or normal');
    }
    attributes.set(name, value);
  };
  let style = '';
  for (const { local: name, uri, value } of Object.values(tag.attributes)) {
    const isXlinkHref = name === 'href' && uri === xlinkNamespace;
    if (uri === '' && name === 'style') style = value;
    // `href` overrides the older `xlink:href`.
    else if (uri === '' || (isXlinkHref && !attributes.has(name))) {
      set(allowedAttributes, name, value);
    }
  }
  // Declarations override attributes.
  for (const declaration of style.split(';').filter((text) => text.trim() !== '')) {
    const colon = declaration.indexOf(':');
    if (colon < 0) throw badValue('style', declaration, 'a declaration must be property: value');
    set(allowedProperties, declaration.slice(0, colon).trim(), declaration.slice(colon + 1));
  }
  // Browsers use this size for an image without one.
  if (isRoot && !attributes.has('viewBox')) {
    attributes.set('width', attributes.get('width') ?? '300');
    attributes.set('height', attributes.get('height') ?? '150');
  }
  return attributes;
}

/** Attributes that draw the element that they refer to once more. */
const drawingAttributes = new Set(['href', 'clip-path']);
const localUrl = /^\s*url\(\s*(?:#([^\s'"()\\]+)|'#([^'()\\]+)'|"#([^"()\\]+)")\s*\)/;

/** Returns the id that a value refers to, if any. Throws a LogoError for an external reference. */
function referenceIn(attribute: string, value: string): string | undefined {
  if (attribute === 'href') {
    const target = value.trim();
    if (target.startsWith('#') && target.length > 1) return target.slice(1);
    throw externalReference(attribute, value, '#id');
  }
  const [reference = '', ...ids] = localUrl.exec(value) ?? [];
  // CSS reads an escape such as \75rl(…) as url(…).
  if (/url\(|\\/i.test(value.slice(reference.length))) {
    throw externalReference(attribute, value, 'url(#id)');
  }
  return ids.find((id) => id !== undefined);
}

/**
 * Counts the elements that are drawn, including those that `use` and `clip-path` draw again. Throws
 * a LogoError for a circular reference, and for too many or too deeply nested elements.
 */
function checkCosts(root: SvgElement, byId: ReadonlyMap<string, SvgElement>): void {
  const costs = new Map<SvgElement, { elements: number; depth: number } | 'in progress'>();
  const costOf = (element: SvgElement) => {
    const earlier = costs.get(element);
    if (earlier === 'in progress') {
      throw new LogoError('an SVG with an element that refers to itself');
    }
    if (earlier) return earlier;
    costs.set(element, 'in progress');
    const cost = { elements: 1, depth: 1 };
    for (const part of [
      ...element.children.filter(({ name }) => !drawnByReference.has(name)),
      ...element.drawnIds.flatMap((id) => byId.get(id) ?? []),
    ]) {
      const { elements, depth } = costOf(part);
      cost.elements += elements;
      cost.depth = Math.max(cost.depth, depth + 1);
    }
    costs.set(element, cost);
    return cost;
  };
  // Refuses circular references even if nothing draws them.
  for (const element of byId.values()) costOf(element);
  const { elements, depth } = costOf(root);
  const references = '"use" and "clip-path"';
  if (elements > svgLimits.elements) {
    throw new LogoError(
      `an SVG that draws more than ${svgLimits.elements} elements, including those of ${references}`,
    );
  }
  if (depth > svgLimits.depth) {
    throw new LogoError(
      `an SVG that nests more than ${svgLimits.depth} elements, including those of ${references}`,
    );
  }
}

function escapeValue(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function notAnImage(): LogoError {
  return new LogoError('a page or a document, not an image');
}

function unknownAttribute(name: string, element: string): LogoError {
  const attribute = `attribute ${quote(name)} of ${quote(element)}`;
  return new LogoError(
    name.toLowerCase().startsWith('on')
      ? `an SVG with event handlers (${attribute})`
      : `an SVG with the ${attribute}, which is not allowed`,
  );
}

function badValue(name: string, value: string, rule: string): LogoError {
  return new LogoError(`an SVG whose ${quote(name)} has the value ${quote(value)}: ${rule}`);
}

function externalReference(name: string, value: string, form: string): LogoError {
  return new LogoError(
    `an SVG with an external reference: ${quote(name)} is ${quote(value)}, but must be ${form}`,
  );
}
