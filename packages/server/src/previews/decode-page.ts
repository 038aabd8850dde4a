import { isUtf8 } from 'node:buffer';
import { MIMEType, TextDecoder } from 'node:util';
import { Parser } from 'htmlparser2';

// The HTML standard, "Determining the character encoding".
const scannedBytes = 1_024;
// A character in UTF-8 has up to four bytes, of which the last may be cut off.
const maxCutBytes = 3;

/**
 * Returns the text of an HTML document. Its character encoding is that of its byte order mark, of the
 * header, or of its `meta` element, in this order; otherwise UTF-8, or windows-1252 if it is no UTF-8.
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const encodings = [
    markedEncoding(bytes),
    charsetOf(contentType),
    declaredEncoding(bytes.subarray(0, scannedBytes)),
    isCutUtf8(bytes) ? 'utf-8' : 'windows-1252',
  ];
  for (const encoding of encodings) {
    const decoder = encoding === undefined ? undefined : decoderOf(encoding);
    // `stream` drops a character that is cut off at the end.
    if (decoder) return decoder.decode(bytes, { stream: true });
  }
  return '';
}

/** Returns the media type of a `Content-Type` header in lower case; undefined if it is not valid. */
export function mediaTypeOf(contentType: string): string | undefined {
  return parseMediaType(contentType)?.essence;
}

function charsetOf(contentType: string): string | undefined {
  return parseMediaType(contentType)?.params.get('charset') ?? undefined;
}

function parseMediaType(contentType: string): MIMEType | undefined {
  try {
    return new MIMEType(contentType);
  } catch {
    return undefined;
  }
}

function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

/** Returns the encoding that a `meta` element at the start of a document declares. */
function declaredEncoding(start: Uint8Array): string | undefined {
  let declared: string | undefined;
  const parser = new Parser({
    onopentag(name, { charset, 'http-equiv': equivalent, content }) {
      if (name !== 'meta' || declared !== undefined) return;
      if (charset !== undefined) declared = charset;
      else if (equivalent?.toLowerCase() === 'content-type') declared = charsetOf(content ?? '');
    },
  });
  parser.end(new TextDecoder('latin1').decode(start));
  // A document whose declaration can be read this way has no UTF-16.
  return declared !== undefined && /^utf-?16/i.test(declared.trim()) ? 'utf-8' : declared;
}

function decoderOf(encoding: string): TextDecoder | undefined {
  try {
    return new TextDecoder(encoding);
  } catch {
    // The encoding is unknown.
    return undefined;
  }
}

function isCutUtf8(bytes: Uint8Array): boolean {
  for (let cut = 0; cut <= maxCutBytes; cut += 1) {
    if (isUtf8(bytes.subarray(0, bytes.length - cut))) return true;
  }
  return false;
}
