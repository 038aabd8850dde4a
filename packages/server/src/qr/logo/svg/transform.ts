import { ValueScanner } from './value-scanner.js';

/** The numbers `a b c d e f` of SVG's `matrix()`. */
export type Matrix = readonly [number, number, number, number, number, number];

export const identity: Matrix = [1, 0, 0, 1, 0, 0];

export function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [
    a * g + c * h,
    b * g + d * h,
    a * i + c * j,
    b * i + d * j,
    a * k + c * l + e,
    b * k + d * l + f,
  ];
}

export const translation = (x: number, y: number): Matrix => [1, 0, 0, 1, x, y];

/** Parses a list of transformations and multiplies them into one matrix. */
export function transformMatrix(value: string, attribute: string): Matrix {
  const scanner = new ValueScanner(value, attribute);
  let matrix = identity;
  while (!scanner.atEnd()) {
    const name = scanner.until('(').trim();
    const inside = new ValueScanner(scanner.until(')'), attribute);
    const numbers: number[] = [];
    while (!inside.atEnd()) {
      if (numbers.length === 6) throw inside.error('a transformation must have at most 6 numbers');
      numbers.push(inside.number());
    }
    const next = matrixOf(name, numbers);
    if (!next) {
      throw scanner.error(
        'a transformation must be matrix, translate, scale, rotate, skewX or skewY with its numbers',
      );
    }
    matrix = multiply(matrix, next);
  }
  return matrix;
}

function matrixOf(name: string, numbers: readonly number[]): Matrix | undefined {
  const [a = 0, b, c = 0, d = 0, e = 0, f = 0] = numbers;
  const takes = (...counts: number[]) => counts.includes(numbers.length);
  const radians = (a * Math.PI) / 180;
  switch (name) {
    case 'matrix':
      return takes(6) ? [a, b ?? 0, c, d, e, f] : undefined;
    case 'translate':
      return takes(1, 2) ? translation(a, b ?? 0) : undefined;
    case 'scale':
      return takes(1, 2) ? [a, 0, 0, b ?? a, 0, 0] : undefined;
    case 'rotate': {
      if (!takes(1, 3)) return undefined;
      const [sine, cosine] = [Math.sin(radians), Math.cos(radians)];
      const rotation: Matrix = [cosine, sine, -sine, cosine, 0, 0];
      const x = b ?? 0;
      return multiply(multiply(translation(x, c), rotation), translation(-x, -c));
    }
    case 'skewX':
      return takes(1) ? [1, 0, Math.tan(radians), 1, 0, 0] : undefined;
    case 'skewY':
      return takes(1) ? [1, Math.tan(radians), 0, 1, 0, 0] : undefined;
    default:
      return undefined;
  }
}
