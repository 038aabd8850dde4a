import { LogoError, quote } from '../logo-error.js';
import { logoLimits } from '../logo-limits.js';
import { svgLimits } from './svg-limits.js';
import { type Matrix, multiply, translation } from './transform.js';

/** An element of the new SVG. */
export interface DrawnElement {
  readonly name: string;
  /** Undefined when no reference can lead to the element. */
  readonly id: string | undefined;
  readonly attributes: Map<string, string>;
  readonly children: readonly DrawnElement[];
  readonly transform: Matrix | undefined;
  /** The id that `use` or a gradient refers to. */
  readonly href: string | undefined;
  readonly segments: number;
  /** The largest distance from the origin on each axis, in the element's own coordinates. */
  readonly farX: number;
  readonly farY: number;
}

/** The view box of the root and the size of the image. */
export interface View {
  /** Left, top, width and height in the document's own units. */
  readonly box: readonly [number, number, number, number];
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Returns a length that `readLength` has accepted, in units of the view box. */
export function lengthInUserUnits(value = '0', { box }: View): number {
  const number = Number.parseFloat(value);
  if (Number.isNaN(number)) return 0;
  return value.endsWith('%') ? (number / 100) * Math.max(box[2], box[3]) : number;
}

/** Throws a LogoError when an SVG is too expensive to draw. References must exist. */
export function checkDrawingCost(root: DrawnElement, view: View): void {
  new DrawingCost(root).check(root, view);
}

/**
 * Visits the elements as a renderer does: follows each reference as often as it is drawn, and stops
 * at the first limit.
 */
class DrawingCost {
  readonly #elements = new Map<string, DrawnElement>();
  #drawn = 0;
  #segments = 0;

  constructor(root: DrawnElement) {
    this.#collect(root);
  }

  check(root: DrawnElement, view: View): void {
    const [left, top, width, height] = view.box;
    const [x, y] = [view.width / width, view.height / height];
    // The scale of `slice`, which is the largest.
    const scale = Math.max(x, y);
    const matrix = multiply([scale, 0, 0, scale, 0, 0], translation(-left, -top));
    this.#visit(root, matrix, view, []);
    for (const element of this.#elements.values()) this.#checkGradient(element, 0);
  }

  #collect(element: DrawnElement): void {
    if (element.id !== undefined) this.#elements.set(element.id, element);
    for (const child of element.children) this.#collect(child);
  }

  #visit(element: DrawnElement, outer: Matrix, view: View, path: readonly DrawnElement[]): void {
    if (path.includes(element)) throw new LogoError('an SVG with an element that refers to itself');
    this.#drawn += 1;
    if (this.#drawn > svgLimits.elements) {
      throw new LogoError(
        `an SVG that draws more than ${svgLimits.elements} elements, those of "use" and "clip-path" included`,
      );
    }
    if (path.length >= svgLimits.depth) {
      throw new LogoError(
        `an SVG with more than ${svgLimits.depth} elements inside one another, references included`,
      );
    }
    const inside = [...path, element];
    const matrix = element.transform ? multiply(outer, element.transform) : outer;
    this.#checkReach(element, matrix, view);
    this.#segments += element.segments;
    if (this.#segments > svgLimits.segments) {
      throw new LogoError(
        `an SVG that draws more than ${svgLimits.segments} segments, those of "use" and "clip-path" included`,
      );
    }
    const clipPath = element.attributes.get('clip-path') ?? 'none';
    if (clipPath !== 'none') {
      const clip = this.#get(clipPath.slice('url(#'.length, -1));
      if (clip.name !== 'clipPath') throw wrongTarget('clip-path', clip);
      this.#visit(clip, matrix, view, inside);
    }
    if (element.name === 'use' && element.href !== undefined) {
      const target = this.#get(element.href);
      if (!drawnByUse.has(target.name)) throw wrongTarget('use', target);
      this.#visit(target, multiply(matrix, offsetOf(element, view)), view, inside);
    }
    for (const child of element.children) {
      // Drawn only where they are referred to.
      if (child.name === 'defs' || child.name === 'clipPath') continue;
      if (child.name.endsWith('Gradient') || child.name === 'stop') continue;
      this.#visit(child, matrix, view, inside);
    }
  }

  #checkReach({ farX, farY, attributes }: DrawnElement, matrix: Matrix, view: View): void {
    const [a, b, c, d, e, f] = matrix;
    const stroke = Math.abs(lengthInUserUnits(attributes.get('stroke-width'), view));
    const [x, y] = [farX + stroke, farY + stroke];
    const reach = Math.max(
      Math.abs(a) * x + Math.abs(c) * y + Math.abs(e),
      Math.abs(b) * x + Math.abs(d) * y + Math.abs(f),
    );
    // The negation also refuses NaN.
    if (!(reach <= svgLimits.reach * logoLimits.side)) {
      throw new LogoError(
        `an SVG with a shape or a transformation that reaches more than ${svgLimits.reach} times the image's side beyond it`,
      );
    }
  }

  #checkGradient(element: DrawnElement, length: number): void {
    if (!element.name.endsWith('Gradient') || element.href === undefined) return;
    if (length >= svgLimits.gradientChain) {
      throw new LogoError(
        `an SVG with more than ${svgLimits.gradientChain} gradients that refer to one another`,
      );
    }
    const target = this.#get(element.href);
    if (!target.name.endsWith('Gradient')) throw wrongTarget(element.name, target);
    this.#checkGradient(target, length + 1);
  }

  #get(id: string): DrawnElement {
    return this.#elements.get(id) as DrawnElement;
  }
}

const drawnByUse = new Set([
  'g',
  'path',
  'rect',
  'circle',
  'ellipse',
  'line',
  'polyline',
  'polygon',
  'use',
]);

function offsetOf({ attributes }: DrawnElement, view: View): Matrix {
  return translation(
    lengthInUserUnits(attributes.get('x'), view),
    lengthInUserUnits(attributes.get('y'), view),
  );
}

function wrongTarget(from: string, { name }: DrawnElement): LogoError {
  return new LogoError(
    `an SVG whose ${quote(from)} refers to an element of another kind: ${quote(name)}`,
  );
}
