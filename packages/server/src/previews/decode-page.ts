import { isUtf8 } from 'node:buffer';
import { MIMEType, TextDecoder } from 'node:util';
import sniffEncoding from 'html-encoding-sniffer';

// A character in UTF-8 has up to four bytes, of which the last may be cut off.
const maxCutBytes = 3;

/**
 * Returns the text of an HTML document. Its character encoding is found as the HTML standard says: by its
 * byte order mark, the header, or a `meta` element; otherwise it is UTF-8, or windows-1252 if it is no UTF-8.
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const type = parseMediaType(contentType);
  const encoding = sniffEncoding(bytes, {
    xml: type?.essence === 'application/xhtml+xml',
    transportLayerEncodingLabel: type?.params.get('charset') ?? undefined,
    defaultEncoding: isCutUtf8(bytes) ? 'UTF-8' : 'windows-1252',
  });
  // `stream` drops a character that is cut off at the end.
  return decoderOf(encoding).decode(bytes, { stream: true });
}

/** Returns the media type of a `Content-Type` header in lower case; undefined if it is not valid. */
export function mediaTypeOf(contentType: string): string | undefined {
  return parseMediaType(contentType)?.essence;
}

function parseMediaType(contentType: string): MIMEType | undefined {
  try {
    return new MIMEType(contentType);
  } catch {
    return undefined;
  }
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding);
  } catch {
    // Node has no decoder for `replacement` and `x-user-defined`, which no page should have.
    return new TextDecoder('windows-1252');
  }
}

function isCutUtf8(bytes: Uint8Array): boolean {
  for (let cut = 0; cut <= maxCutBytes; cut += 1) {
    if (isUtf8(bytes.subarray(0, bytes.length - cut))) return true;
  }
  return false;
}
