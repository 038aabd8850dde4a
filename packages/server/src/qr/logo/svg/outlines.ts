import { type SVGCommand, SVGPathData } from 'svg-pathdata';
import { svgLimits } from './svg-limits.js';
import { badValue, checkNumberLengths, readNumbers } from './svg-values.js';

/** An outline, and the numbers that determine the cost of drawing it. */
export interface Outline {
  /** The new value of the attribute. */
  readonly text: string;
  readonly segments: number;
  /** An upper bound of the distance from the origin on each axis. */
  readonly farX: number;
  readonly farY: number;
}

/** Parses path data and serialises it. */
export function pathData(value: string, attribute: string): Outline {
  checkNumberLengths(value, attribute);
  const path = parsePath(value, attribute);
  const { commands } = path;
  if (commands.length > svgLimits.segments) {
    throw badValue(value, attribute, `a path must have at most ${svgLimits.segments} segments`);
  }
  const [first] = commands;
  if (first && first.type !== SVGPathData.MOVE_TO) {
    throw badValue(value, attribute, 'a path must begin with M');
  }
  if (commands.some((command) => largest(command, (name) => name !== 'type') > svgLimits.number)) {
    throw badValue(value, attribute, `a number must be at most ${svgLimits.number}`);
  }
  const text = path.encode();
  const absolute = path.toAbs().commands;
  const far = (isCounted: (name: string) => boolean) =>
    absolute.reduce((most, command) => Math.max(most, largest(command, isCounted)), 0);
  const x = far((name) => ['x', 'x1', 'x2'].includes(name));
  const y = far((name) => ['y', 'y1', 'y2'].includes(name));
  const radius = far((name) => ['rX', 'rY'].includes(name));
  // Renderers enlarge radii that are too small for the distance of the end points.
  const spread = radius > 0 ? 2 * (radius + x + y) : 0;
  return { text, segments: commands.length, farX: x + spread, farY: y + spread };
}

function parsePath(value: string, attribute: string): SVGPathData {
  try {
    return new SVGPathData(value);
  } catch (error) {
    throw badValue(value, attribute, `cannot be read as a path: ${(error as Error).message}`);
  }
}

/** Returns the largest absolute value of the properties whose names are counted. */
function largest(command: SVGCommand, isCounted: (name: string) => boolean): number {
  let most = 0;
  for (const [name, value] of Object.entries(command)) {
    if (isCounted(name)) most = Math.max(most, Math.abs(Number(value)));
  }
  return most;
}

/** Parses the points of a polygon or polyline and serialises them. */
export function points(value: string, attribute: string): Outline {
  const numbers = readNumbers(value, attribute);
  if (numbers.length % 2 === 1) throw badValue(value, attribute, 'must be pairs of numbers');
  const segments = numbers.length / 2;
  if (segments > svgLimits.segments) {
    throw badValue(value, attribute, `must have at most ${svgLimits.segments} points`);
  }
  const far = (axis: 0 | 1) =>
    numbers.reduce(
      (most, number, at) => (at % 2 === axis ? Math.max(most, Math.abs(number)) : most),
      0,
    );
  return { text: numbers.join(' '), segments, farX: far(0), farY: far(1) };
}
