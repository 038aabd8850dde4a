import { type FileHandle, open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemErrorCode, UsageError } from '../cli-error.js';

/** An output file that can be cut back to a known length and continued. */
export class ResultFile {
  readonly path: string;
  readonly #file: FileHandle;
  #length: number;
  #pending = '';

  private constructor(path: string, file: FileHandle, length: number) {
    this.path = path;
    this.#file = file;
    this.#length = length;
  }

  /** Opens for writing behind the first `keepBytes` bytes; the rest is cut off. */
  static async open(path: string, keepBytes: number): Promise<ResultFile> {
    const absolute = resolve(path);
    try {
      const file = await open(absolute, keepBytes === 0 ? 'w' : 'r+');
      await file.truncate(keepBytes);
      return new ResultFile(absolute, file, keepBytes);
    } catch (error) {
      throw new UsageError(`${path} cannot be written: ${(error as Error).message}`);
    }
  }

  /** Bytes that the file holds once everything is flushed. */
  get length(): number {
    return this.#length + Buffer.byteLength(this.#pending);
  }

  write(text: string): void {
    this.#pending += text;
  }

  async flush(): Promise<void> {
    if (this.#pending === '') return;
    const bytes = Buffer.from(this.#pending);
    this.#pending = '';
    let written = 0;
    while (written < bytes.length) {
      const result = await this.#file.write(bytes, written, bytes.length - written, this.#length);
      written += result.bytesWritten;
      this.#length += result.bytesWritten;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** How long a file is, or undefined where there is none. */
export async function findFileLength(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
