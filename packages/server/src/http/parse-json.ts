import { isUtf8 } from 'node:buffer';
import { invalidField, shorten } from '../contract/api-error.js';

// All limits are far above what the schemas allow: a link has 21 fields, 50 UTM parameters and 20 tags.
export const maxDepth = 32;
export const maxTextBytes = 64 * 1024;
// Parsed in less than 10 ms. A body of 4 MB with lists of objects would take half a second.
export const maxValues = 20_000;

/**
 * Parses a JSON body. Throws VALIDATION_FAILED for invalid JSON, and, without parsing it, for a body with
 * too many values or levels. A longer text is cut: each field takes less, so its schema refuses what is
 * left by name, and the other items of a bulk request are read.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalidField('', 'must be valid JSON: it is not UTF-8');
  const hasLongText = checkLimits(bytes);
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  try {
    return JSON.parse(bytes.toString('utf8', start), hasLongText ? cutText : undefined);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidField('', `must be valid JSON: ${shorten(error.message)}`);
  }
}

function cutText(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, maxTextBytes + 1) : value;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const opens = new Set([0x5b, 0x7b]);
const closes = new Set([0x5d, 0x7d]);

// A table, because a switch over each byte takes three times as long.
const marks = new Uint8Array(256);
for (const mark of '[]{},"') marks[mark.charCodeAt(0)] = 1;

/**
 * Counts values and levels in one pass over the bytes. Returns whether a text is too long. JSON.parse
 * checks the grammar.
 */
function checkLimits(bytes: Buffer): boolean {
  let values = 1;
  let depth = 0;
  let hasLongText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (marks[byte] === 0) continue;
    if (byte === quote) {
      const end = endOfText(bytes, at);
      if (end - at - 1 > maxTextBytes) hasLongText = true;
      at = end;
    } else if (byte === comma) values += 1;
    else if (opens.has(byte)) {
      values += 1;
      depth += 1;
      if (depth > maxDepth) throw invalidField('', `must be nested at most ${maxDepth} levels`);
    } else if (closes.has(byte)) depth -= 1;
    if (values > maxValues) throw invalidField('', `must have at most ${maxValues} values`);
  }
  return hasLongText;
}

function endOfText(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
