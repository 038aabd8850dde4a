import type { Matrix } from './transform.js';

/** An element whose attributes have been read and written anew. */
export interface DrawnElement {
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly children: readonly DrawnElement[];
  readonly transform: Matrix | undefined;
  /** What `use` and gradients point at. */
  readonly href: string | undefined;
  readonly clipPath: string | undefined;
  readonly segments: number;
  /** The farthest point from the origin along each axis, in the element's own coordinates. */
  readonly farX: number;
  readonly farY: number;
}

/** The part of the plane that the picture shows, and the size that it is drawn at. */
export interface View {
  /** Left, top, width and height in the document's own units. */
  readonly box: readonly [number, number, number, number];
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly preserveAspectRatio: string;
}

/** A length that has been read already, in units of the view box. */
export function writtenLength(value = '0', { box }: View): number {
  const number = Number.parseFloat(value);
  if (Number.isNaN(number)) return 0;
  return value.endsWith('%') ? (number / 100) * Math.max(box[2], box[3]) : number;
}
