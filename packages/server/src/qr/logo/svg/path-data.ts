import { svgLimits } from './svg-limits.js';
import { ValueScanner } from './value-scanner.js';

/** An outline, and the numbers that determine the cost of drawing it. */
export interface Outline {
  /** The new value of the attribute. */
  readonly text: string;
  readonly segments: number;
  /** The largest distance of a point from the origin on each axis. */
  readonly farX: number;
  readonly farY: number;
}

const numbersOfCommand: Readonly<Record<string, number>> = {
  M: 2,
  L: 2,
  H: 1,
  V: 1,
  C: 6,
  S: 4,
  Q: 4,
  T: 2,
  A: 7,
  Z: 0,
};

/** Parses path data, tracks its points, and serialises it. */
export function pathData(value: string, attribute: string): Outline {
  const scanner = new ValueScanner(value, attribute);
  const written: string[] = [];
  const far = { x: 0, y: 0 };
  const current = { x: 0, y: 0 };
  const start = { x: 0, y: 0 };
  let segments = 0;
  const touch = (x: number, y: number) => {
    far.x = Math.max(far.x, Math.abs(x));
    far.y = Math.max(far.y, Math.abs(y));
  };
  const moveTo = (x: number, y: number) => {
    current.x = x;
    current.y = y;
    touch(x, y);
  };

  while (!scanner.atEnd()) {
    const letter = scanner.letter();
    const command = letter.toUpperCase();
    const count = numbersOfCommand[command];
    if (count === undefined)
      throw scanner.error('a command of a path must be one of M L H V C S Q T A Z');
    if (segments === 0 && command !== 'M') throw scanner.error('a path must begin with M');
    const isRelative = letter !== command;
    let isFirst = true;
    do {
      segments += 1;
      if (segments > svgLimits.segments) {
        throw scanner.error(`a path must have at most ${svgLimits.segments} segments`);
      }
      const numbers: number[] = [];
      for (let index = 0; index < count; index += 1) {
        const isFlag = command === 'A' && (index === 3 || index === 4);
        numbers.push(isFlag ? scanner.flag() : scanner.number());
      }
      // Further coordinates of a move are lines.
      const name = isFirst || command !== 'M' ? letter : isRelative ? 'l' : 'L';
      written.push(`${name}${numbers.join(' ')}`);
      const [x, y] = isRelative ? [current.x, current.y] : [0, 0];
      const at = (index: number) => numbers[index] ?? 0;
      if (command === 'Z') {
        moveTo(start.x, start.y);
        break;
      }
      if (command === 'H') moveTo(x + at(0), current.y);
      else if (command === 'V') moveTo(current.x, y + at(0));
      else if (command === 'A') {
        // Renderers enlarge radii that are too small for the distance of the end points.
        const radius = Math.max(Math.abs(at(0)), Math.abs(at(1)));
        const [endX, endY] = [x + at(5), y + at(6)];
        const spread = 2 * radius + Math.abs(endX - current.x) + Math.abs(endY - current.y);
        touch(Math.abs(endX) + spread, Math.abs(endY) + spread);
        moveTo(endX, endY);
      } else {
        for (let index = 0; index < count - 2; index += 2) touch(x + at(index), y + at(index + 1));
        moveTo(x + at(count - 2), y + at(count - 1));
      }
      if (command === 'M' && isFirst) Object.assign(start, current);
      isFirst = false;
    } while (scanner.hasNumber());
  }
  return { text: written.join(''), segments, farX: far.x, farY: far.y };
}

/** Parses the points of a polygon or polyline and serialises them. */
export function points(value: string, attribute: string): Outline {
  const scanner = new ValueScanner(value, attribute);
  const written: string[] = [];
  let [farX, farY] = [0, 0];
  while (!scanner.atEnd()) {
    if (written.length >= svgLimits.segments) {
      throw scanner.error(`must have at most ${svgLimits.segments} points`);
    }
    const [x, y] = [scanner.number(), scanner.number()];
    farX = Math.max(farX, Math.abs(x));
    farY = Math.max(farY, Math.abs(y));
    written.push(`${x} ${y}`);
  }
  return { text: written.join(' '), segments: written.length, farX, farY };
}
