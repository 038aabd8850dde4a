import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describeWriteError, systemErrorCode, UsageError } from '../cli-error.js';

/**
 * An output file that can be truncated to a known length and continued. Writes are synchronous: a
 * few kilobytes reach the page cache in microseconds, and an asynchronous write takes ten times as
 * long.
 */
export class ResultFile {
  readonly path: string;
  readonly #descriptor: number;
  #length: number;
  #pending = '';

  private constructor(path: string, descriptor: number, length: number) {
    this.path = path;
    this.#descriptor = descriptor;
    this.#length = length;
  }

  /** Opens a file, truncates it to `keepBytes` bytes, and appends after them. */
  static open(path: string, keepBytes: number): ResultFile {
    const absolute = resolve(path);
    try {
      const descriptor = openSync(absolute, keepBytes === 0 ? 'w' : 'r+');
      ftruncateSync(descriptor, keepBytes);
      return new ResultFile(absolute, descriptor, keepBytes);
    } catch (error) {
      throw new UsageError(describeWriteError(path, error));
    }
  }

  /** Bytes in the file after the last flush. */
  get length(): number {
    return this.#length;
  }

  write(text: string): void {
    this.#pending += text;
  }

  flush(): void {
    if (this.#pending === '') return;
    const bytes = Buffer.from(this.#pending);
    this.#pending = '';
    writeFully(this.#descriptor, bytes, this.#length);
    this.#length += bytes.length;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** Writes all bytes at `position`, by default at the current position. */
export function writeFully(descriptor: number, bytes: Buffer, position?: number): void {
  let written = 0;
  while (written < bytes.length) {
    const at = position === undefined ? null : position + written;
    written += writeSync(descriptor, bytes, written, bytes.length - written, at);
  }
}

/** Returns the length of a file, or undefined when it does not exist. */
export async function findFileLength(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
