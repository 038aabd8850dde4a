import { LogoError, quote } from '../logo-error.js';
import { svgLimits } from './svg-limits.js';

/** Parses the value of an attribute and serialises it with new ids. Throws a LogoError. */
export type ReadValue = (
  value: string,
  attribute: string,
  newIdOf: (id: string) => string,
) => string;

export function badValue(value: string, attribute: string, rule: string): LogoError {
  return new LogoError(
    `an SVG whose attribute ${quote(attribute)} has the value ${quote(value)}: ${rule}`,
  );
}

const numberToken = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/g;

/** Parses a list of numbers, which commas and spaces may separate, as in `1-2.5.5,3`. */
export function readNumbers(value: string, attribute: string): number[] {
  const numbers: number[] = [];
  const rest = value.replace(numberToken, (token) => {
    numbers.push(checkNumber(token, value, attribute));
    return ' ';
  });
  if (/[^\s,]/.test(rest)) throw badValue(value, attribute, 'must be numbers');
  return numbers;
}

/** Throws a LogoError when a number in a value has too many characters. */
export function checkNumberLengths(value: string, attribute: string): void {
  for (const [token] of value.matchAll(numberToken)) {
    if (token.length <= svgLimits.numberLength) continue;
    throw badValue(
      value,
      attribute,
      `a number must have at most ${svgLimits.numberLength} characters`,
    );
  }
}

function checkNumber(token: string, value: string, attribute: string): number {
  checkNumberLengths(token, attribute);
  const number = Number(token);
  if (Math.abs(number) <= svgLimits.number) return number;
  throw badValue(value, attribute, `a number must be at most ${svgLimits.number}`);
}

const quantity = /^([^a-z%]+(?:e[+-]?\d+)?)([a-z]*|%)$/i;

/** Parses one number with an optional unit. */
export function readQuantity(
  value: string,
  attribute: string,
): { readonly number: number; readonly unit: string } {
  const [, text = '', unit = ''] = quantity.exec(value.trim()) ?? [];
  const [number, ...others] = readNumbers(text, attribute);
  if (number === undefined || others.length > 0) {
    throw badValue(value, attribute, 'must be one number');
  }
  return { number, unit };
}

const pixelsOfUnit = new Map([
  ['', 1],
  ['px', 1],
  ['pt', 96 / 72],
  ['pc', 16],
  ['in', 96],
  ['cm', 96 / 2.54],
  ['mm', 96 / 25.4],
]);

/** Parses a length in pixels or as a percentage. */
export function readLength(
  value: string,
  attribute: string,
): { readonly number: number; readonly isPercentage: boolean } {
  const { number, unit } = readQuantity(value, attribute);
  if (unit === '%') return { number, isPercentage: true };
  const factor = pixelsOfUnit.get(unit);
  if (factor === undefined) {
    throw badValue(value, attribute, 'the unit of a length must be one of px pt pc in cm mm %');
  }
  return { number: number * factor, isPercentage: false };
}

/** Parses `url(#id)` at the start of a value. */
export function readReference(
  value: string,
  attribute: string,
): { readonly id: string; readonly rest: string } {
  const end = value.indexOf(')');
  if (!value.startsWith('url(') || end < 0) {
    throw badValue(value, attribute, 'a reference must be url(#id)');
  }
  const inside = value.slice('url('.length, end).trim();
  const quoteMark = ['"', "'"].find((mark) => inside.startsWith(mark) && inside.endsWith(mark));
  const target = quoteMark === undefined ? inside : inside.slice(1, -1).trim();
  return { id: localId(target, attribute), rest: value.slice(end + 1).trim() };
}

/** Returns the id of a reference `#id`. Throws a LogoError for any other reference. */
export function localId(target: string, attribute: string): string {
  if (target.length < 2 || !target.startsWith('#')) {
    throw new LogoError(
      `an SVG with an external reference: ${quote(attribute)} is ${quote(target)}, but must be #id`,
    );
  }
  const id = target.slice(1);
  if (id.length > svgLimits.idLength) {
    throw badValue(target, attribute, `an id must have at most ${svgLimits.idLength} characters`);
  }
  return id;
}
