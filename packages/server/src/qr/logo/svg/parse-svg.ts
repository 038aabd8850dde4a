import { SaxesParser } from 'saxes';
import { LogoError, quote } from '../logo-error.js';
import { elementAttributes } from './svg-attributes.js';
import { svgLimits, svgNamespace, xlinkNamespace } from './svg-limits.js';

/** An allowed element. Its attributes are untrusted text. */
export interface SvgElement {
  readonly name: string;
  /** The new id. Undefined without an id, and when an earlier element has the same id. */
  newId: string | undefined;
  /** Attributes without a namespace, and `xlink:href` as `href`. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: SvgElement[];
}

export interface SvgDocument {
  readonly root: SvgElement;
  /** The new id of each id in the document. */
  readonly newIds: ReadonlyMap<string, string>;
}

/** Elements that describe the image and draw nothing. */
const descriptions = new Set(['title', 'desc', 'metadata']);
const gradients = new Set(['linearGradient', 'radialGradient']);
const containers = new Set(['svg', 'g', 'defs', 'clipPath']);
const allowedNames = [...elementAttributes.keys()].join(', ');

/**
 * Parses an SVG document into its allowed elements. Throws a LogoError for every other element of
 * SVG. Ignores descriptions, text between elements, and elements of other namespaces: editors add
 * these, and no browser draws them.
 */
export function parseSvg(text: string): SvgDocument {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const open: SvgElement[] = [];
  const newIds = new Map<string, string>();
  let root: SvgElement | undefined;
  let skippedDepth = 0;
  let count = 0;

  parser.on('error', (error) => {
    throw root ? unreadable(error.message) : notAnImage();
  });
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && encoding.toLowerCase() !== 'utf-8') {
      throw new LogoError(`an SVG that declares the encoding ${quote(encoding)}: it must be UTF-8`);
    }
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
    if (skippedDepth > 0) {
      skippedDepth += 1;
      return;
    }
    const { local: name, uri } = tag;
    const parent = open.at(-1);
    if (!parent) {
      if (name !== 'svg') throw notAnImage();
      if (uri !== svgNamespace) {
        throw new LogoError(`an SVG whose root element is not in the namespace ${svgNamespace}`);
      }
    } else if (uri !== svgNamespace || descriptions.has(name)) {
      skippedDepth = 1;
      return;
    } else checkPosition(name, parent.name);
    count += 1;
    if (count > svgLimits.elements) {
      throw new LogoError(`an SVG with more than ${svgLimits.elements} elements`);
    }
    if (open.length >= svgLimits.depth) {
      throw new LogoError(`an SVG with more than ${svgLimits.depth} elements inside one another`);
    }
    const element: SvgElement = {
      name,
      newId: undefined,
      attributes: attributesOf(Object.values(tag.attributes)),
      children: [],
    };
    parent?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => {
    if (skippedDepth > 0) {
      skippedDepth -= 1;
      return;
    }
    const element = open.pop();
    const id = element?.attributes.get('id');
    if (!element || id === undefined || id.length > svgLimits.idLength || newIds.has(id)) return;
    element.newId = `i${newIds.size}`;
    newIds.set(id, element.newId);
  });

  parser.write(text).close();
  if (!root) throw notAnImage();
  return { root, newIds };
}

function attributesOf(
  all: readonly { readonly local: string; readonly uri: string; readonly value: string }[],
): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const { local, uri, value } of all) {
    const isHref = local === 'href' && (uri === '' || uri === xlinkNamespace);
    // `href` overrides the older `xlink:href`.
    if (uri === '' || (isHref && !attributes.has('href'))) attributes.set(local, value);
  }
  return attributes;
}

function checkPosition(name: string, parent: string): void {
  const reason = refusalReasons.get(name);
  if (reason) throw new LogoError(`an SVG with ${reason} (element ${quote(name)})`);
  if (!elementAttributes.has(name) || name === 'svg') {
    throw new LogoError(
      `an SVG with the element ${quote(name)} inside ${quote(parent)}: only ${allowedNames} are allowed, ` +
        'and svg only as the root; convert text to paths',
    );
  }
  const isAllowedHere = name === 'stop' ? gradients.has(parent) : containers.has(parent);
  if (!isAllowedHere) {
    throw new LogoError(`an SVG with the element ${quote(name)} inside ${quote(parent)}`);
  }
}

const refusalReasons = new Map([
  ['script', 'a script'],
  ['foreignObject', 'foreign content'],
  ['image', 'an image inside: send that image itself'],
  ['feImage', 'an image inside: send that image itself'],
  ['style', 'an embedded or external style sheet: use attributes of the elements'],
]);

function notAnImage(): LogoError {
  return new LogoError('a page or a document, not an image');
}

function unreadable(message: string): LogoError {
  return new LogoError(`an image that cannot be read (svg): ${quote(message)}`);
}
