import { isUtf8 } from 'node:buffer';
import { shorten, validationError } from '../contract/api-error.js';
import { unreadable } from '../contract/parse-input.js';

// All limits are far above what the schemas allow: a link has 21 fields, 50 UTM parameters and 20 tags.
export const maxDepth = 32;
export const maxItems = 256;
export const maxTextBytes = 64 * 1024;
// Parsed in less than 10 ms. A body of 4 MB with lists of objects would take half a second.
export const maxValues = 20_000;

/**
 * Parses a JSON body. Throws VALIDATION_FAILED for invalid JSON, and for a body that has too many values
 * or levels, without parsing it. A text, list or object that exceeds a limit becomes an `unreadable`
 * value, which every schema refuses with the name of the field.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw notJson('it is not UTF-8');
  const values = countValues(bytes);
  // Without it, JSON.parse takes half of the time.
  const limit = values > maxItems || bytes.length > maxTextBytes ? refuseLarge : undefined;
  try {
    return JSON.parse(bytes.toString('utf8', startsWithMark(bytes) ? 3 : 0), limit);
  } catch (error) {
    if (error instanceof SyntaxError) throw notJson(shorten(error.message));
    throw error;
  }
}

/** A reviver of JSON.parse. */
function refuseLarge(_name: string, value: unknown): unknown {
  if (typeof value === 'string') {
    const isLarge = value.length > maxTextBytes;
    return isLarge ? unreadable(`must be at most ${maxTextBytes} bytes long`) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  return count > maxItems ? unreadable(`must have at most ${maxItems} items`) : value;
}

const quote = 0x22;
const backslash = 0x5c;
const opens = new Set([0x5b, 0x7b]);
const closes = new Set([0x5d, 0x7d]);
const comma = 0x2c;

// A table, because a switch over each byte takes three times as long.
const marks = new Uint8Array(256);
for (const mark of '[]{},"') marks[mark.charCodeAt(0)] = 1;

/** Counts the values in one pass over the bytes. JSON.parse checks the grammar. */
function countValues(bytes: Buffer): number {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (marks[byte] === 0) continue;
    if (byte === quote) at = endOfText(bytes, at);
    else if (byte === comma) values += 1;
    else if (opens.has(byte)) {
      values += 1;
      depth += 1;
      if (depth > maxDepth) throw invalid(`must be nested at most ${maxDepth} levels`);
    } else if (closes.has(byte)) depth -= 1;
    if (values > maxValues) throw invalid(`must have at most ${maxValues} values`);
  }
  return values;
}

/** Returns the index of the quote that ends a text. */
function endOfText(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function notJson(reason: string): Error {
  return invalid(`must be valid JSON: ${reason}`);
}

function invalid(message: string): Error {
  return validationError([{ path: '', message }]);
}
