import { badValue, readNumbers } from './svg-values.js';

/** The numbers `a b c d e f` of SVG's `matrix()`. */
export type Matrix = readonly [number, number, number, number, number, number];

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

const transformation = /([a-zA-Z]{1,9})\s{0,9}\(([^()]*)\)/g;

/** Parses a list of transformations and multiplies them into one matrix. */
export function transformMatrix(value: string, attribute: string): Matrix {
  let matrix = translation(0, 0);
  const rest = value.replace(transformation, (_, name: string, inside: string) => {
    const next = matrixOf(name, readNumbers(inside, attribute));
    if (!next) throw badTransformation(value, attribute);
    matrix = multiply(matrix, next);
    return ' ';
  });
  if (/[^\s,]/.test(rest)) throw badTransformation(value, attribute);
  return matrix;
}

function badTransformation(value: string, attribute: string) {
  return badValue(
    value,
    attribute,
    'a transformation must be matrix, translate, scale, rotate, skewX or skewY with its numbers',
  );
}

const numberCounts = new Map([
  ['matrix', [6]],
  ['translate', [1, 2]],
  ['scale', [1, 2]],
  ['rotate', [1, 3]],
  ['skewX', [1]],
  ['skewY', [1]],
]);

function matrixOf(name: string, numbers: readonly number[]): Matrix | undefined {
  if (!numberCounts.get(name)?.includes(numbers.length)) return undefined;
  const [a = 0, b, c = 0, d = 0, e = 0, f = 0] = numbers;
  const radians = (a * Math.PI) / 180;
  const [sine, cosine] = [Math.sin(radians), Math.cos(radians)];
  const [x, y] = [b ?? 0, c];
  switch (name) {
    case 'matrix':
      return [a, x, c, d, e, f];
    case 'translate':
      return translation(a, x);
    case 'scale':
      return [a, 0, 0, b ?? a, 0, 0];
    case 'rotate':
      return multiply(
        multiply(translation(x, y), [cosine, sine, -sine, cosine, 0, 0]),
        translation(-x, -y),
      );
    case 'skewX':
      return [1, 0, Math.tan(radians), 1, 0, 0];
    default:
      return [1, Math.tan(radians), 0, 1, 0, 0];
  }
}
