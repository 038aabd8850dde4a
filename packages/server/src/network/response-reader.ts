import type { IncomingHttpHeaders } from 'node:http';
import { GuardedFetchError } from './guarded-fetch-error.js';

/** As in Node's parser. It limits the headers of a response, and the trailers after its body. */
const maxHeaderBytes = 16 * 1024;
// Without a limit, a receiver can send 1xx responses until the time limit.
const maxInformational = 10;
// With extensions, which RFC 9112 §7.1.1 allows and nobody sends.
const maxChunkLineBytes = 256;
// A body that is only a little too long is read to its end, so its connection can be reused.
const drainBytes = 64 * 1024;

const versionStart = 'HTTP/1.';
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const headerLine = /^([!#$%&'*+\-.^_`|~\dA-Za-z]+):([\t\x20-\x7e\x80-\xff]*)$/;
const digits = /^\d{1,15}$/;
const chunkLine = /^([\da-fA-F]{1,8})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;

const lineFeed = 0x0a;

type Phase =
  | 'head'
  /** A body with a length, of which `#left` bytes are missing. */
  | 'length'
  /** A body that ends with the connection. */
  | 'close'
  | 'chunk line'
  | 'chunk'
  | 'chunk end'
  | 'trailers'
  | 'complete';

/**
 * Reads one HTTP/1 response (RFC 9112) from the bytes of a connection, after any number of
 * informational ones up to ten. Stores the beginning of the body.
 */
export class ResponseReader {
  /** 0 until the headers are complete. */
  status = 0;
  headers: IncomingHttpHeaders = {};
  /** Whether the body was longer than `maxBodyBytes`. */
  isCut = false;
  readonly #maxBodyBytes: number;
  /** Whether it is the response to a HEAD request, which has no body. */
  readonly #isOfHead: boolean;
  readonly #body: Buffer[] = [];
  #bodyBytes = 0;
  #phase: Phase = 'head';
  /** The incomplete head, line or trailers. */
  #text = '';
  #left = 0;
  #informational = 0;
  #isPersistent = false;

  constructor(maxBodyBytes: number, isOfHead = false) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#isOfHead = isOfHead;
  }

  get hasHead(): boolean {
    return this.status !== 0;
  }

  get isComplete(): boolean {
    return this.#phase === 'complete';
  }

  /** Whether the connection can carry another request. */
  get isReusable(): boolean {
    return this.isComplete && this.#isPersistent;
  }

  /** The body, up to `maxBodyBytes`. */
  get body(): Uint8Array {
    return this.#body.length === 1 ? (this.#body[0] as Buffer) : Buffer.concat(this.#body);
  }

  /** Reads bytes. Throws a GuardedFetchError if they are not valid HTTP. */
  read(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#phase === 'complete') {
        // Nothing may follow a response: its sender did not wait for the next request.
        this.#isPersistent = false;
        return;
      }
      at = this.#step(bytes, at);
    }
  }

  /** Takes note that the receiver ended the connection. Throws if the response is incomplete. */
  end(): void {
    if (this.#phase === 'close') this.#phase = 'complete';
    if (this.#phase !== 'complete') {
      const message = 'The connection was closed before the response was complete';
      throw new GuardedFetchError('reset', message);
    }
  }

  /** Reads some bytes, and returns the position after them. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#phase) {
      case 'head':
        return this.#readHead(bytes, at);
      case 'chunk line':
        return this.#readChunkLine(bytes, at);
      case 'chunk end':
        return this.#readChunkEnd(bytes, at);
      case 'trailers':
        return this.#readTrailers(bytes, at);
      default:
        return this.#readBody(bytes, at);
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    const before = this.#text.length;
    // Only the part that can belong to the headers is decoded.
    const text =
      this.#text + bytes.toString('latin1', at, Math.min(bytes.length, at + maxHeaderBytes + 4));
    const end = text.indexOf('\r\n\r\n', Math.max(0, before - 3));
    if (end === -1 || end > maxHeaderBytes) {
      checkStart(text);
      if (text.length > maxHeaderBytes) throw headersTooLarge();
      this.#text = text;
      return bytes.length;
    }
    this.#text = '';
    this.#parseHead(text.slice(0, end));
    return at + end + 4 - before;
  }

  #parseHead(head: string): void {
    const lines = head.split('\r\n');
    const [, minor, code] = statusLine.exec(lines[0] as string) ?? [];
    if (minor === undefined) throw invalid();
    const status = Number(code);
    const headers: Record<string, string> = Object.create(null);
    for (let index = 1; index < lines.length; index += 1) {
      const [, name, value] = headerLine.exec(lines[index] as string) ?? [];
      if (name === undefined || value === undefined) throw invalid();
      const key = name.toLowerCase();
      const earlier = headers[key];
      const trimmed = trimBlanks(value);
      headers[key] = earlier === undefined ? trimmed : `${earlier}, ${trimmed}`;
    }
    // 101 ends HTTP on this connection (RFC 9110 §15.2.2).
    if (status < 200 && status !== 101) {
      this.#informational += 1;
      if (this.#informational <= maxInformational) return;
      const message = `The receiver sent more than ${maxInformational} informational responses`;
      throw new GuardedFetchError('protocol', message);
    }
    this.#startBody(status, headers);
    this.#isPersistent =
      minor === '1' && status !== 101 && this.#phase !== 'close' && !closes(headers.connection);
    this.status = status;
    this.headers = headers;
  }

  /** Finds out how the body ends (RFC 9112 §6.3). */
  #startBody(status: number, headers: Record<string, string>): void {
    const encoding = headers['transfer-encoding'];
    const length = headers['content-length'];
    if (length !== undefined && (!digits.test(length) || encoding !== undefined)) throw invalid();
    const isEmpty = this.#isOfHead || status < 200 || status === 204 || status === 304;
    if (isEmpty) this.#phase = 'complete';
    else if (encoding !== undefined) {
      this.#phase = /(?:^|,)[\t ]*chunked$/i.test(encoding) ? 'chunk line' : 'close';
    } else if (length === undefined) this.#phase = 'close';
    else {
      this.#left = Number(length);
      this.#phase = this.#left === 0 ? 'complete' : 'length';
    }
  }

  #readBody(bytes: Buffer, at: number): number {
    const isOpen = this.#phase === 'close';
    const end = isOpen ? bytes.length : Math.min(bytes.length, at + this.#left);
    const free = this.#maxBodyBytes - this.#bodyBytes;
    // A copy, because the caller may overwrite the bytes.
    if (free > 0) this.#body.push(Buffer.from(bytes.subarray(at, Math.min(end, at + free))));
    this.#bodyBytes += end - at;
    this.isCut = this.#bodyBytes > this.#maxBodyBytes;
    if (!isOpen) this.#left -= end - at;
    if (this.#bodyBytes > this.#maxBodyBytes + drainBytes) {
      this.#phase = 'complete';
      this.#isPersistent = false;
    } else if (this.#left === 0 && !isOpen) {
      this.#phase = this.#phase === 'length' ? 'complete' : 'chunk end';
    }
    return end;
  }

  /** Adds bytes up to a line feed to `#text`. Returns the position after them. */
  #readLine(bytes: Buffer, at: number, maxBytes: number): number {
    const found = bytes.indexOf(lineFeed, at);
    const end = found === -1 ? bytes.length : found + 1;
    if (this.#text.length + end - at > maxBytes) throw invalid();
    this.#text += bytes.toString('latin1', at, end);
    return end;
  }

  #readChunkLine(bytes: Buffer, at: number): number {
    const end = this.#readLine(bytes, at, maxChunkLineBytes);
    const text = this.#text;
    if (!text.endsWith('\n')) return end;
    this.#text = '';
    const [, size] = (text.endsWith('\r\n') && chunkLine.exec(text.slice(0, -2))) || [];
    if (size === undefined) throw invalid();
    this.#left = Number.parseInt(size, 16);
    this.#phase = this.#left === 0 ? 'trailers' : 'chunk';
    return end;
  }

  #readChunkEnd(bytes: Buffer, at: number): number {
    const end = this.#readLine(bytes, at, 2);
    if (!'\r\n'.startsWith(this.#text)) throw invalid();
    if (this.#text.length === 2) {
      this.#text = '';
      this.#phase = 'chunk line';
    }
    return end;
  }

  /** Skips trailers. They end with an empty line. */
  #readTrailers(bytes: Buffer, at: number): number {
    const end = this.#readLine(bytes, at, maxHeaderBytes);
    if (this.#text === '\r\n' || this.#text.endsWith('\r\n\r\n')) {
      this.#text = '';
      this.#phase = 'complete';
    }
    return end;
  }
}

/** Throws if a text is not the beginning of a response. The receiver may wait for more bytes. */
function checkStart(text: string): void {
  const lineEnd = text.indexOf('\n');
  const isComplete = lineEnd !== -1;
  const isValid = isComplete
    ? text[lineEnd - 1] === '\r' && statusLine.test(text.slice(0, lineEnd - 1))
    : versionStart.startsWith(text.slice(0, versionStart.length));
  if (!isValid) throw invalid();
}

/** Removes spaces and tabs at both ends. A regular expression would take quadratic time for many. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) start += 1;
  while (end > start && isBlank(text, end - 1)) end -= 1;
  return text.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t';
}

function closes(connection: string | undefined): boolean {
  return connection !== undefined && /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i.test(connection);
}

function invalid(): GuardedFetchError {
  return new GuardedFetchError('protocol', 'The response is not valid HTTP');
}

function headersTooLarge(): GuardedFetchError {
  return new GuardedFetchError('protocol', 'The headers of the response are too large');
}
