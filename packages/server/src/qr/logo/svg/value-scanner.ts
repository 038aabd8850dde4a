import { LogoError, quote } from '../logo-error.js';
import { svgLimits } from './svg-limits.js';

const numberToken = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;

/** Reads the numbers and letters of one attribute from its beginning to its end. */
export class ValueScanner {
  readonly #text: string;
  readonly #attribute: string;
  #at = 0;

  constructor(text: string, attribute: string) {
    this.#text = text;
    this.#attribute = attribute;
  }

  /** Whether nothing but separators is left. */
  atEnd(): boolean {
    this.#skipSeparators();
    return this.#at === this.#text.length;
  }

  number(): number {
    this.#skipSeparators();
    numberToken.lastIndex = this.#at;
    const token = numberToken.exec(this.#text)?.[0];
    if (token === undefined) throw this.fault('a number is missing');
    if (token.length > svgLimits.numberLength) {
      throw this.fault(`a number has at most ${svgLimits.numberLength} characters`);
    }
    const value = Number(token);
    if (Math.abs(value) > svgLimits.number) {
      throw this.fault(`numbers are at most ${svgLimits.number}`);
    }
    this.#at += token.length;
    return value;
  }

  /** Whether a number comes next. */
  hasNumber(): boolean {
    this.#skipSeparators();
    const character = this.#text[this.#at] ?? '';
    return character !== '' && '+-.0123456789'.includes(character);
  }

  /** A flag of an arc: one digit, which needs no separator behind it. */
  flag(): 0 | 1 {
    this.#skipSeparators();
    const character = this.#text[this.#at];
    if (character !== '0' && character !== '1') throw this.fault('an arc has the flags 0 and 1');
    this.#at += 1;
    return character === '1' ? 1 : 0;
  }

  /** The letter that comes next. */
  letter(): string {
    this.#skipSeparators();
    const character = this.#text[this.#at] ?? '';
    this.#at += 1;
    return character;
  }

  /** The text up to a character, which is passed over. */
  until(end: string): string {
    this.#skipSeparators();
    const found = this.#text.indexOf(end, this.#at);
    if (found < 0) throw this.fault(`${quote(end)} is missing`);
    const text = this.#text.slice(this.#at, found);
    this.#at = found + end.length;
    return text;
  }

  /** What follows the last thing that was read. */
  rest(): string {
    return this.#text.slice(this.#at);
  }

  fault(rule: string): LogoError {
    const from = Math.max(0, this.#at - 10);
    return new LogoError(
      `an SVG whose attribute ${quote(this.#attribute)} cannot be read at ${quote(this.#text.slice(from, from + 30))}: ${rule}`,
    );
  }

  #skipSeparators(): void {
    while (' \t\r\n\f,'.includes(this.#text[this.#at] ?? 'x')) this.#at += 1;
  }
}
