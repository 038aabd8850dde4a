import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorColumn, formatCsvLine, guardFormula } from '@shorty/import';
import { describeWriteError, systemErrorCode, UsageError } from '../cli-error.js';
import type { PreparedImport } from './prepare-import.js';
import type { ProgressFile } from './progress-file.js';

/** A file of rows, which is written after each chunk. */
export interface OutputFile {
  /** Adds a line: of a created link with the index of its row, of a failed one with the reason. */
  write(line: string, detail: number | string): void;
  flush(): void;
  close(): void;
}

/** Opens the file of failed rows: rows of the input file with their reasons. */
export async function openFailedRows(
  path: string | undefined,
  prepared: PreparedImport,
  appends: boolean,
): Promise<OutputFile | undefined> {
  const { file, header, lineEnd, delimiter } = prepared;
  const withReason = (raw: string, reason: string) =>
    `${raw}${delimiter}${formatCsvLine([guardFormula(reason)], delimiter)}`;
  const title = header && withReason(header.raw, errorColumn);
  const mark = file.hasByteOrderMark ? '\ufeff' : '';
  const opened = await openOutputFile(path, title && mark + title, prepared, appends, lineEnd);
  // Without a header, columns have fixed positions.
  if (!opened || !header) return opened;
  const write = (raw: string, reason: number | string) =>
    opened.write(withReason(raw, String(reason)), reason);
  return { ...opened, write };
}

/**
 * Opens the file of created links. It appends to the file of the same import, except rows that are in it,
 * and refuses the file of another one.
 */
export async function openCreatedRows(
  path: string | undefined,
  header: string,
  prepared: PreparedImport,
  progress: ProgressFile,
): Promise<OutputFile | undefined> {
  if (path === undefined) return undefined;
  const stats = await findStat(path);
  const hasRows = stats?.isFile() === true && stats.size > 0;
  const name = hasRows ? realpathSync(path) : resolve(path);
  if (hasRows && !progress.hasWritten(name)) {
    await refuseInput(path, prepared);
    throw new UsageError(
      `${path} exists, and is not of this import`,
      'choose another file, or delete this one',
    );
  }
  const lastIndex = hasRows ? lastIndexOf(path) : -1;
  const opened = await openOutputFile(path, header, prepared, true);
  if (!opened) return undefined;
  if (stats === undefined || stats.isFile()) progress.recordOutput(realpathSync(path));
  // Rows come in the order of the input file. After a day, an import sends only rows that are missing.
  const write = (line: string, index: number | string) => {
    if (!progress.isReplay || Number(index) > lastIndex) opened.write(line, index);
  };
  return { ...opened, write };
}

/** Returns the index of the last row of a file, and removes the part of a row that a crash has left. */
function lastIndexOf(path: string): number {
  const text = readFileSync(path, 'utf8');
  const end = text.lastIndexOf('\n') + 1;
  if (end < text.length) truncateSync(path, Buffer.byteLength(text.slice(0, end)));
  const line = text.slice(text.lastIndexOf('\n', end - 2) + 1, end);
  const index = Number(line.split(',')[1]);
  return Number.isNaN(index) ? -1 : index;
}

/** Opens a file, and writes its header if it is new. Throws if it is the input file. */
async function openOutputFile(
  path: string | undefined,
  header: string | undefined,
  prepared: Pick<PreparedImport, 'file'>,
  appends: boolean,
  lineEnd = '\n',
): Promise<OutputFile | undefined> {
  if (path === undefined) return undefined;
  await refuseInput(path, prepared);
  let descriptor: number;
  try {
    descriptor = openSync(path, appends ? 'a' : 'w');
  } catch (error) {
    throw new UsageError(describeWriteError(path, error));
  }
  let pending =
    header !== undefined && fstatSync(descriptor).size === 0 ? `${header}${lineEnd}` : '';
  const flush = () => {
    let bytes = Buffer.from(pending);
    pending = '';
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(descriptor, bytes));
  };
  flush();
  return {
    write: (line) => {
      pending += `${line}${lineEnd}`;
    },
    flush,
    close: () => closeSync(descriptor),
  };
}

async function refuseInput(path: string, { file }: Pick<PreparedImport, 'file'>): Promise<void> {
  const source = await file.handle.stat();
  const target = await findStat(path);
  if (target?.ino !== source.ino || target.dev !== source.dev) return;
  throw new UsageError(`${path} is the input file; choose another output file`);
}

async function findStat(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
