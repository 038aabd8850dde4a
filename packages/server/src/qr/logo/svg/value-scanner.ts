import { LogoError, quote } from '../logo-error.js';
import { svgLimits } from './svg-limits.js';

const numberToken = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;

/** Scans the numbers, letters and flags of an attribute's value. */
export class ValueScanner {
  readonly #text: string;
  readonly #attribute: string;
  #at = 0;

  constructor(text: string, attribute: string) {
    this.#text = text;
    this.#attribute = attribute;
  }

  /** Returns whether only separators are left. */
  atEnd(): boolean {
    this.#skipSeparators();
    return this.#at === this.#text.length;
  }

  number(): number {
    this.#skipSeparators();
    numberToken.lastIndex = this.#at;
    const token = numberToken.exec(this.#text)?.[0];
    if (token === undefined) throw this.error('a number is missing');
    if (token.length > svgLimits.numberLength) {
      throw this.error(`a number must have at most ${svgLimits.numberLength} characters`);
    }
    const value = Number(token);
    if (Math.abs(value) > svgLimits.number) {
      throw this.error(`a number must be at most ${svgLimits.number}`);
    }
    this.#at += token.length;
    return value;
  }

  /** Returns whether a number is next. */
  hasNumber(): boolean {
    this.#skipSeparators();
    const character = this.#text[this.#at] ?? '';
    return character !== '' && '+-.0123456789'.includes(character);
  }

  /** Scans a flag of an arc: one digit, which needs no separator after it. */
  flag(): 0 | 1 {
    this.#skipSeparators();
    const character = this.#text[this.#at];
    if (character !== '0' && character !== '1') throw this.error('a flag of an arc must be 0 or 1');
    this.#at += 1;
    return character === '1' ? 1 : 0;
  }

  /** Scans the next letter. */
  letter(): string {
    this.#skipSeparators();
    const character = this.#text[this.#at] ?? '';
    this.#at += 1;
    return character;
  }

  /** Scans the text before `end`, and skips `end`. */
  until(end: string): string {
    this.#skipSeparators();
    const found = this.#text.indexOf(end, this.#at);
    if (found < 0) throw this.error(`${quote(end)} is missing`);
    const text = this.#text.slice(this.#at, found);
    this.#at = found + end.length;
    return text;
  }

  /** Returns the text that is not scanned yet. */
  rest(): string {
    return this.#text.slice(this.#at);
  }

  error(rule: string): LogoError {
    const from = Math.max(0, this.#at - 10);
    return new LogoError(
      `an SVG whose attribute ${quote(this.#attribute)} cannot be read at ${quote(this.#text.slice(from, from + 30))}: ${rule}`,
    );
  }

  #skipSeparators(): void {
    while (' \t\r\n\f,'.includes(this.#text[this.#at] ?? 'x')) this.#at += 1;
  }
}
