import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { extname, resolve } from 'node:path';
import { CliError, describeWriteError, systemErrorCode, UsageError } from './cli-error.js';

/**
 * An output file that is replaced only when its new content is complete: until `commit`, the content
 * is in a temporary file beside it. Pipes and devices are written directly.
 */
export class ReplacementFile {
  readonly #path: string;
  /** Undefined for a pipe or a device, and after the end. */
  #temporaryPath: string | undefined;
  #descriptor: number | undefined;

  /**
   * Opens a file for writing. Throws a UsageError if that is not possible. With `replacesLinks`, a
   * symbolic link is replaced instead of followed.
   */
  constructor(path: string, { replacesLinks = false } = {}) {
    try {
      this.#path = replacesLinks ? resolve(path) : followLinks(path);
      const stats = replacesLinks ? undefined : statSync(this.#path, { throwIfNoEntry: false });
      if (stats && !stats.isFile()) this.#descriptor = openSync(this.#path, 'w');
      else {
        const temporaryPath = `${this.#path}.${randomUUID().slice(0, 8)}.part`;
        // 'wx' fails when the temporary file exists, so that this does not follow a link either.
        this.#descriptor = openSync(temporaryPath, 'wx', stats?.mode);
        this.#temporaryPath = temporaryPath;
      }
    } catch (error) {
      throw new UsageError(describeWriteError(path, error));
    }
  }

  write(content: string | Uint8Array): void {
    this.#run((descriptor) => writeFileSync(descriptor, content));
  }

  /** Replaces the file. A crash of the system leaves the old content or the new one. */
  commit(): void {
    this.#run((descriptor) => {
      if (this.#temporaryPath === undefined) return;
      fsyncSync(descriptor);
      renameSync(this.#temporaryPath, this.#path);
      this.#temporaryPath = undefined;
    });
  }

  /** Closes the file. Without a `commit`, the file keeps its old content. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    if (this.#temporaryPath !== undefined) rmSync(this.#temporaryPath, { force: true });
  }

  #run(work: (descriptor: number) => void): void {
    try {
      if (this.#descriptor !== undefined) work(this.#descriptor);
    } catch (error) {
      throw new CliError(describeWriteError(this.#path, error), { cause: error });
    }
  }
}

/** Replaces a file by other content, but for a failure that keeps it. */
export function replaceFile(path: string, content: string | Uint8Array, options = {}): void {
  const file = new ReplacementFile(path, options);
  try {
    file.write(content);
    file.commit();
  } finally {
    file.close();
  }
}

/** Throws a UsageError if a file cannot be replaced. A pipe is not opened, because that would end its reader. */
export function requireWritable(path: string): void {
  if (!existsSync(path) || !statSync(path).isFIFO()) new ReplacementFile(path).close();
}

/**
 * Returns the format that the extension of a file names. Throws a UsageError if no format has it, or if another
 * one was chosen.
 */
export function formatOfFile<Format extends string>(
  path: string | undefined,
  formats: readonly Format[],
  { option = '--out', chosen }: { option?: string; chosen?: string | undefined } = {},
): Format | undefined {
  const extension = extname(path ?? '').toLowerCase();
  if (extension === '') return undefined;
  const format = formats.find((each) => `.${each}` === extension);
  if (format && chosen !== undefined && chosen !== format) {
    throw new UsageError(
      `${option} ${path} contradicts the format ${chosen}`,
      'the extension of the file must be that of the format',
    );
  }
  if (format) return format;
  const known = formats.map((each) => `.${each}`).join(', ');
  throw new UsageError(`${option} ${path}: unknown extension ${extension}`, `use ${known}`);
}

/** Returns the absolute path of a file, or of what it links to. */
export function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return resolve(path);
    throw error;
  }
}
