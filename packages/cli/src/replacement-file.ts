import {
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { CliError, describeWriteError, systemErrorCode, UsageError } from './cli-error.js';

/**
 * An output file that is replaced only when its new content is complete: until `commit`, the content
 * is in a temporary file beside it. Pipes and devices are written directly.
 */
export class ReplacementFile {
  readonly #path: string;
  readonly #temporaryPath: string | undefined;
  #descriptor: number | undefined;

  private constructor(path: string, temporaryPath: string | undefined, descriptor: number) {
    this.#path = path;
    this.#temporaryPath = temporaryPath;
    this.#descriptor = descriptor;
  }

  /** Opens a file for writing. Throws a UsageError if that is not possible. */
  static open(path: string): ReplacementFile {
    try {
      const target = followLinks(path);
      const stats = statSync(target, { throwIfNoEntry: false });
      const isReplaced = stats === undefined || stats.isFile();
      const temporaryPath = isReplaced ? `${target}.${process.pid}.tmp` : undefined;
      const descriptor = openSync(temporaryPath ?? target, 'w', stats?.mode);
      return new ReplacementFile(target, temporaryPath, descriptor);
    } catch (error) {
      throw new UsageError(describeWriteError(path, error));
    }
  }

  write(text: string): void {
    this.#run((descriptor) => {
      let bytes = Buffer.from(text);
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(descriptor, bytes));
    });
  }

  /** Replaces the file. A crash of the system leaves the old content or the new one. */
  commit(): void {
    if (this.#temporaryPath === undefined) return;
    const temporaryPath = this.#temporaryPath;
    this.#run((descriptor) => {
      fsyncSync(descriptor);
      renameSync(temporaryPath, this.#path);
    });
    this.#close();
  }

  /** Closes the file. Without a `commit`, the file keeps its old content. */
  close(): void {
    if (this.#descriptor === undefined) return;
    this.#close();
    if (this.#temporaryPath !== undefined) rmSync(this.#temporaryPath, { force: true });
  }

  #run(work: (descriptor: number) => void): void {
    try {
      if (this.#descriptor !== undefined) work(this.#descriptor);
    } catch (error) {
      throw new CliError(describeWriteError(this.#path, error), { cause: error });
    }
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** Returns the path of the file itself if the path is a symbolic link. */
function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return resolve(path);
    throw error;
  }
}
