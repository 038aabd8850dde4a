import { isUtf8 } from 'node:buffer';
import { shorten, validationError } from '../contract/api-error.js';
import { unreadable } from '../contract/parse-input.js';
import { TimeSlices } from '../yield-to-event-loop.js';

// All limits are far above what the schemas allow: a link has 21 fields, 50 UTM parameters and 20 tags.
// A part is a field of the body or, if the field is an array, one of its items.
export const maxDepth = 32;
export const maxFields = 256;
export const maxPartValues = 256;
export const maxPartBytes = 512 * 1024;
export const maxTextBytes = 64 * 1024;
export const maxValues = 20_000;

// Up to this size JSON.parse takes half a millisecond.
const parsedWholeBytes = 64 * 1024;

/** A range of the body that one call of JSON.parse parses. */
interface Part {
  readonly start: number;
  readonly end: number;
  /** The exceeded limit; the part is then not parsed. */
  readonly limitError: string | undefined;
}

interface Field {
  readonly name: Part;
  readonly value: Part;
  /** The parts of a value that is an array. */
  readonly items: readonly Part[] | undefined;
}

interface Outline {
  /** Undefined when the body is not an object. */
  readonly fields: readonly Field[] | undefined;
  readonly whole: Part;
}

/**
 * Parses a JSON body in slices that yield to the event loop. One JSON.parse of 4 MB takes up to a second:
 * 500 ms for lists of objects, 1.2 s for deep nesting. A first pass over the bytes counts nesting,
 * strings and values. A part that exceeds a limit is not parsed: it becomes an `unreadable` value,
 * which every schema refuses with the reason. Throws VALIDATION_FAILED for invalid JSON.
 */
export async function parseJson(bytes: Buffer): Promise<unknown> {
  if (!isUtf8(bytes)) throw notJson('it is not UTF-8');
  const slices = new TimeSlices();
  const scanning = scan(bytes);
  let scanned = scanning.next();
  while (!scanned.done) {
    if (slices.isOver) await slices.next();
    scanned = scanning.next();
  }
  const { fields, whole } = scanned.value;
  const exceedsLimit = ({ limitError }: Part) => limitError !== undefined;
  const hasLimitError = fields?.some(
    ({ value, items }) => exceedsLimit(value) || items?.some(exceedsLimit),
  );
  if (!fields || (bytes.length <= parsedWholeBytes && !hasLimitError))
    return parsePart(bytes, whole);
  const object: Record<string, unknown> = {};
  for (const { name, value, items } of fields) {
    const key = parsePart(bytes, name);
    if (typeof key !== 'string') throw notJson(`a field has no name near byte ${name.start}`);
    let parsed: unknown;
    if (items === undefined || exceedsLimit(value)) {
      parsed = parsePart(bytes, value);
    } else {
      const list: unknown[] = [];
      for (const item of items) {
        if (slices.isOver) await slices.next();
        list.push(parsePart(bytes, item));
      }
      parsed = list;
    }
    if (slices.isOver) await slices.next();
    // Defines a field, as JSON.parse does. An assignment to __proto__ would set the prototype.
    Object.defineProperty(object, key, {
      value: parsed,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
  return object;
}

function parsePart(bytes: Buffer, { start, end, limitError }: Part): unknown {
  if (limitError !== undefined) return unreadable(limitError);
  try {
    return JSON.parse(bytes.toString('utf8', start, end));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The position in the message is relative to the part.
    const isWhole = end === bytes.length;
    throw notJson(isWhole ? shorten(error.message) : `it is malformed after byte ${start}`);
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

// Takes a tenth of a millisecond.
const scannedAtOnce = 32 * 1024;

const marks = new Uint8Array(256);
for (const mark of '[]{},:"') marks[mark.charCodeAt(0)] = 1;

// These loops are outside of the generator, because V8 optimizes them better there.
function findMark(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && marks[bytes[at] as number] === 0) at += 1;
  return at;
}

function findTextMark(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== quote && bytes[at] !== backslash) at += 1;
  return at;
}

/**
 * Splits a body into parts in one pass over its bytes, and counts their values. It checks only the
 * grammar that this needs; JSON.parse checks the rest.
 */
function* scan(bytes: Buffer): Generator<undefined, Outline> {
  const start = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  const end = bytes.length;
  let at = start;
  while (isSpace(bytes[at])) at += 1;
  const isObject = bytes[at] === openBrace;
  const fields: Field[] = [];
  let values = 0;
  let depth = 0;
  let textStart = -1;
  let nextYield = at + scannedAtOnce;
  // The field that is being read.
  let nameStart = at;
  let nameEnd = -1;
  let items: Part[] | undefined;
  let listLimitError: string | undefined;
  let valueEnd = -1;
  // The part that is being read, and the nesting depth at its start.
  let partStart = at;
  let partDepth = 0;
  let partValues = 1;
  let limitError: string | undefined;

  function beginPart(from: number): void {
    partStart = from;
    partDepth = depth;
    partValues = 1;
    limitError = undefined;
  }

  function endPart(to: number): Part {
    if (to - partStart > maxPartBytes) limitError ??= `must be at most ${maxPartBytes} bytes long`;
    if (limitError === undefined) values += partValues;
    if (values > maxValues) throw invalid(`must have at most ${maxValues} values`);
    return { start: partStart, end: to, limitError };
  }

  function isBlank(from: number, to: number): boolean {
    for (let each = from; each < to; each += 1) if (!isSpace(bytes[each])) return false;
    return true;
  }

  function endItem(to: number): void {
    // An empty array has no item.
    if (items?.length === 0 && bytes[to] === closeBracket && isBlank(partStart, to)) return;
    const item = endPart(to);
    if (items && items.length < maxFields) items.push(item);
    else listLimitError = `must have at most ${maxFields} items`;
  }

  function endField(to: number): void {
    if (nameEnd < 0) {
      if (fields.length === 0 && bytes[to] === closeBrace && isBlank(nameStart, to)) return;
      throw notJson(`a colon is missing near byte ${to}`);
    }
    if (fields.length === maxFields) throw invalid(`must have at most ${maxFields} fields`);
    const name = { start: nameStart, end: nameEnd, limitError: undefined };
    if (items === undefined) fields.push({ name, value: endPart(to), items });
    else {
      if (!isBlank(valueEnd, to)) throw notJson(`a comma is missing near byte ${valueEnd}`);
      fields.push({
        name,
        value: { start: nameEnd + 1, end: to, limitError: listLimitError },
        items,
      });
    }
    nameStart = to + 1;
    nameEnd = -1;
    items = undefined;
    listLimitError = undefined;
  }

  for (; at < end; at += 1) {
    const next = textStart < 0 ? findMark : findTextMark;
    at = next(bytes, at, Math.min(end, nextYield));
    if (at >= nextYield) {
      nextYield = at + scannedAtOnce;
      yield;
    }
    const byte = bytes[at];
    if (textStart >= 0) {
      if (byte === backslash) at += 1;
      else if (byte === quote) {
        if (at - textStart - 1 > maxTextBytes) {
          if (isObject && depth === 1 && nameEnd < 0) {
            throw invalid(`must have field names of at most ${maxTextBytes} bytes`);
          }
          limitError ??= `must not contain a string of more than ${maxTextBytes} bytes`;
        }
        textStart = -1;
      }
      continue;
    }
    switch (byte) {
      case quote:
        textStart = at;
        break;
      case openBrace:
      case openBracket:
        depth += 1;
        if (isObject && depth === 1) {
          nameStart = at + 1;
        } else if (isObject && depth === 2 && byte === openBracket && nameEnd >= 0) {
          if (items !== undefined || !isBlank(partStart, at)) {
            throw notJson(`a comma is missing near byte ${at}`);
          }
          items = [];
          beginPart(at + 1);
        } else {
          partValues += 1;
          if (depth - partDepth > maxDepth)
            limitError ??= `must be nested at most ${maxDepth} levels`;
        }
        break;
      case closeBrace:
      case closeBracket:
        if (depth === 0) throw notJson(`there is an unexpected bracket at byte ${at}`);
        if (isObject && depth === 2 && items !== undefined && valueEnd < partStart) {
          if (byte !== closeBracket) throw notJson(`a ] is missing at byte ${at}`);
          endItem(at);
          valueEnd = at + 1;
        } else if (isObject && depth === 1) {
          if (byte !== closeBrace) throw notJson(`a } is missing at byte ${at}`);
          endField(at);
          if (!isBlank(at + 1, end)) throw notJson(`there is text after its end at byte ${at}`);
        }
        depth -= 1;
        break;
      case comma:
        if (isObject && depth === 1) endField(at);
        else if (isObject && depth === 2 && items !== undefined) {
          endItem(at);
          beginPart(at + 1);
        } else partValues += 1;
        break;
      case colon:
        if (isObject && depth === 1 && nameEnd < 0) {
          nameEnd = at;
          beginPart(at + 1);
        }
        break;
    }
    if (partValues > maxPartValues) limitError ??= `must have at most ${maxPartValues} values`;
  }
  if (textStart >= 0 || depth > 0) throw notJson('it ends too early');
  if (isObject) return { fields, whole: { start, end, limitError: undefined } };
  partStart = start;
  return { fields: undefined, whole: endPart(end) };
}

function notJson(reason: string): Error {
  return invalid(`must be valid JSON: ${reason}`);
}

function invalid(message: string): Error {
  return validationError([{ path: '', message }]);
}
