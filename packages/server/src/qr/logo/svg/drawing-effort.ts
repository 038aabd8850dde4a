import { LogoError, quote } from '../logo-error.js';
import { logoLimits } from '../logo-limits.js';
import { type DrawnElement, type View, writtenLength } from './drawn-element.js';
import { svgLimits } from './svg-limits.js';
import { type Matrix, multiply, translation } from './transform.js';

/**
 * Bounds what drawing an SVG costs: it walks through the picture as a renderer does, follows each
 * reference as often as it is drawn, and stops at the first limit.
 */
export class DrawingEffort {
  readonly #elements: ReadonlyMap<string, DrawnElement>;
  #drawn = 0;
  #segments = 0;

  constructor(elements: ReadonlyMap<string, DrawnElement>) {
    this.#elements = elements;
  }

  check(root: DrawnElement, view: View): void {
    const [left, top, width, height] = view.box;
    const [x, y] = [view.width / width, view.height / height];
    // The larger scale is that of `slice`: nothing is drawn larger.
    const scale = Math.max(x, y);
    const matrix = multiply([scale, 0, 0, scale, 0, 0], translation(-left, -top));
    this.#walk(root, matrix, view, []);
    for (const element of this.#elements.values()) this.#checkGradient(element, 0);
  }

  #walk(element: DrawnElement, outer: Matrix, view: View, path: readonly DrawnElement[]): void {
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
    if (element.clipPath !== undefined) {
      const clip = this.#find(element.clipPath);
      if (clip.name !== 'clipPath') throw wrongTarget('clip-path', element.clipPath);
      this.#walk(clip, matrix, view, inside);
    }
    if (element.name === 'use' && element.href !== undefined) {
      const target = this.#find(element.href);
      if (!drawnByUse.has(target.name)) throw wrongTarget('use', element.href);
      this.#walk(target, multiply(matrix, offsetOf(element, view)), view, inside);
    }
    for (const child of element.children) {
      // These are drawn where they are referred to.
      if (child.name === 'defs' || child.name === 'clipPath') continue;
      if (child.name.endsWith('Gradient') || child.name === 'stop') continue;
      this.#walk(child, matrix, view, inside);
    }
  }

  #checkReach({ farX, farY, attributes }: DrawnElement, matrix: Matrix, view: View): void {
    const [a, b, c, d, e, f] = matrix;
    const stroke = Math.abs(writtenLength(attributes.get('stroke-width'), view));
    const [x, y] = [farX + stroke, farY + stroke];
    const reach = Math.max(
      Math.abs(a) * x + Math.abs(c) * y + Math.abs(e),
      Math.abs(b) * x + Math.abs(d) * y + Math.abs(f),
    );
    // Written so that NaN is refused as well.
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
    const target = this.#find(element.href);
    if (!target.name.endsWith('Gradient')) throw wrongTarget(element.name, element.href);
    this.#checkGradient(target, length + 1);
  }

  #find(id: string): DrawnElement {
    const element = this.#elements.get(id);
    if (element) return element;
    throw new LogoError(`an SVG that refers to ${quote(`#${id}`)}, which it does not have`);
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
    writtenLength(attributes.get('x'), view),
    writtenLength(attributes.get('y'), view),
  );
}

function wrongTarget(from: string, id: string): LogoError {
  return new LogoError(`an SVG whose ${quote(from)} refers to ${quote(`#${id}`)} of another kind`);
}
