import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { errorColumn, formatCsvLine, guardFormula } from '@shorty/import';
import { describeWriteError, UsageError } from '../cli-error.js';
import type { PreparedImport } from './prepare-import.js';
import type { ProgressFile } from './progress-file.js';

interface OutputOptions {
  readonly path: string;
  readonly title: string | undefined;
  readonly lineEnd?: string;
  /** Whether no request is sent, so that the next run may replace the file. */
  readonly isDryRun?: boolean | undefined;
}

/**
 * A file of rows, which is written chunk by chunk. It never shrinks: a run appends to the file of the same
 * import, except what is in it, and refuses the file of another one.
 */
export class OutputFile {
  /** The path without symbolic links. */
  readonly name: string;
  readonly #progress: ProgressFile;
  readonly #lineEnd: string;
  readonly #descriptor: number;
  #pending = '';

  constructor(
    { path, title, lineEnd = '\n', isDryRun = false }: OutputOptions,
    prepared: Pick<PreparedImport, 'file'>,
    progress: ProgressFile,
  ) {
    const stats = statSync(path, { throwIfNoEntry: false });
    const isFile = stats?.isFile() ?? true;
    const hasRows = stats !== undefined && isFile && stats.size > 0;
    this.name = hasRows ? realpathSync(path) : resolve(path);
    if (hasRows) {
      refuseInput(path, stats, prepared);
      if (!progress.hasWritten(this.name) || (isDryRun && progress.isContinued)) {
        throw new UsageError(
          `${path} exists, and is not of this import`,
          'choose another file, or delete this one',
        );
      }
    }
    this.#progress = progress;
    this.#lineEnd = lineEnd;
    try {
      this.#descriptor = openSync(path, isFile ? 'a+' : 'a');
    } catch (error) {
      throw new UsageError(describeWriteError(path, error));
    }
    if (stats === undefined) this.name = realpathSync(path);
    // Only dry runs have written it, and this run finds their rows again.
    if (hasRows && !progress.isContinued) ftruncateSync(this.#descriptor);
    if (title !== undefined && fstatSync(this.#descriptor).size === 0) this.add(title);
    this.#write(this.#take());
  }

  add(line: string): void {
    this.#pending += `${line}${this.#lineEnd}`;
  }

  /** Writes the lines of a chunk, unless an earlier run has. */
  flush(chunk: number): void {
    const bytes = this.#take();
    if (this.#progress.isWritten(chunk, this.name)) return;
    const isCut = this.#progress.isCut(chunk);
    this.#write(isCut ? bytes.subarray(this.#lengthAtEnd(bytes)) : bytes);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #take(): Buffer {
    const bytes = Buffer.from(this.#pending);
    this.#pending = '';
    return bytes;
  }

  #write(content: Buffer): void {
    let bytes = content;
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(this.#descriptor, bytes));
  }

  /** Returns how many of these bytes the file ends with, because a run was killed while it wrote them. */
  #lengthAtEnd(bytes: Buffer): number {
    const { size } = fstatSync(this.#descriptor);
    const end = Buffer.alloc(Math.min(size, bytes.length));
    readSync(this.#descriptor, end, 0, end.length, size - end.length);
    for (let start = 0; start < end.length; start++) {
      const length = end.length - start;
      if (end.subarray(start).equals(bytes.subarray(0, length))) return length;
    }
    return 0;
  }
}

/** Opens the file of failed rows: rows of the input file, with their reasons if the file has a header. */
export function openFailedRows(
  path: string,
  prepared: PreparedImport,
  progress: ProgressFile,
  isDryRun = false,
) {
  const { file, header, lineEnd, delimiter } = prepared;
  const withReason = (raw: string, reason: string) =>
    `${raw}${delimiter}${formatCsvLine([guardFormula(reason)], delimiter)}`;
  const mark = file.hasByteOrderMark ? '\ufeff' : '';
  const title = header && mark + withReason(header.raw, errorColumn);
  const output = new OutputFile({ path, title, lineEnd, isDryRun }, prepared, progress);
  // Without a header, columns have fixed positions.
  const add = (raw: string, reason: string) => output.add(header ? withReason(raw, reason) : raw);
  return { output, add };
}

export type FailedRows = ReturnType<typeof openFailedRows>;

function refuseInput(
  path: string,
  { ino, dev }: Stats,
  { file }: Pick<PreparedImport, 'file'>,
): void {
  const source = fstatSync(file.handle.fd);
  if (ino !== source.ino || dev !== source.dev) return;
  throw new UsageError(`${path} is the input file; choose another output file`);
}
