import type { Matrix } from './transform.js';

/** An element of the new SVG. */
export interface DrawnElement {
  readonly name: string;
  /** The generated id; undefined when the element had none in the document. */
  readonly id: string | undefined;
  readonly attributes: Map<string, string>;
  readonly children: readonly DrawnElement[];
  readonly transform: Matrix | undefined;
  /** The id that `use` or a gradient refers to. */
  readonly href: string | undefined;
  /** The id that `clip-path` refers to. */
  readonly clipPath: string | undefined;
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
  readonly preserveAspectRatio: string;
}

/** Returns a length that `readLength` has accepted, in units of the view box. */
export function lengthInUserUnits(value = '0', { box }: View): number {
  const number = Number.parseFloat(value);
  if (Number.isNaN(number)) return 0;
  return value.endsWith('%') ? (number / 100) * Math.max(box[2], box[3]) : number;
}
