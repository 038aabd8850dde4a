import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { CliError, describeWriteError, UsageError } from '../cli-error.js';
import type { PreparedImport } from './prepare-import.js';
import type { FileSizes, ProgressFile } from './progress-file.js';

interface OutputOptions {
  /** The first line. */
  readonly title: string;
  readonly lineEnd?: string;
  /** Whether no request is sent, so that the next run may replace the file. */
  readonly isDryRun?: boolean | undefined;
}

/**
 * A file of rows, which is written chunk by chunk. The rows of finished chunks stay: a run appends to the
 * file of the same import, and refuses the file of another one.
 */
export class OutputFile {
  readonly #name: string;
  readonly #lineEnd: string;
  readonly #descriptor: number;
  /** The path without symbolic links; undefined for a pipe or a device. */
  readonly #path: string | undefined;
  readonly #progress: ProgressFile;
  /** The size after the last write of this run. */
  #size: number;
  #pending = '';

  constructor(
    path: string,
    { title, lineEnd = '\n', isDryRun = false }: OutputOptions,
    { file }: Pick<PreparedImport, 'file'>,
    progress: ProgressFile,
  ) {
    this.#name = path;
    this.#lineEnd = lineEnd;
    this.#progress = progress;
    try {
      this.#descriptor = openSync(path, 'a');
    } catch (error) {
      throw new UsageError(describeWriteError(path, error));
    }
    const stats = fstatSync(this.#descriptor);
    this.#path = stats.isFile() ? realpathSync(path) : undefined;
    if (this.#path !== undefined && stats.size > 0) {
      const source = fstatSync(file.handle.fd);
      if (stats.ino === source.ino && stats.dev === source.dev) {
        throw new UsageError(`${path} is the input file; choose another output file`);
      }
      const recorded = progress.outputFile(this.#path);
      const next = 'choose another file, or delete this one';
      if (recorded === undefined || (isDryRun && progress.isContinued)) {
        throw new UsageError(`${path} exists, and is not of this import`, next);
      }
      if (stats.size > recorded.end) {
        throw new UsageError(`${path} has content that this import did not write`, next);
      }
      // What follows are rows of a chunk that was not finished, or of a dry run.
      if (stats.size > recorded.size) ftruncateSync(this.#descriptor, recorded.size);
    }
    progress.record({ files: this.sizes });
    this.#size = fstatSync(this.#descriptor).size;
    if (this.#size === 0) this.add(title);
    this.flush();
  }

  /** Its size, to record. */
  get sizes(): FileSizes {
    return this.#path === undefined ? {} : { [this.#path]: fstatSync(this.#descriptor).size };
  }

  add(line: string): void {
    this.#pending += `${line}${this.#lineEnd}`;
  }

  flush(): void {
    const bytes = Buffer.from(this.#pending);
    this.#pending = '';
    if (this.#path !== undefined) {
      // Both runs would write the same rows.
      if (fstatSync(this.#descriptor).size !== this.#size) {
        const hint = 'wait until the other run has ended';
        throw new CliError(`another run has written to ${this.#name} meanwhile`, { hint });
      }
      this.#size += bytes.length;
      if (bytes.length > 0) this.#progress.record({ writing: this.#path, end: this.#size });
    }
    try {
      writeFileSync(this.#descriptor, bytes);
    } catch (error) {
      throw new CliError(describeWriteError(this.#name, error), { cause: error });
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
