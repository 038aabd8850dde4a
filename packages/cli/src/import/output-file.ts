import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { describeWriteError, systemErrorCode, UsageError } from '../cli-error.js';
import type { PreparedImport } from './prepare-import.js';

/** A file of rows, which is written after each chunk. */
export interface OutputFile {
  write(line: string): void;
  flush(): void;
  close(): void;
}

/** Opens the file of failed rows, which has the form of the input file. */
export function openFailedRows(
  path: string | undefined,
  prepared: PreparedImport,
  appends: boolean,
): Promise<OutputFile | undefined> {
  const { file, header, lineEnd } = prepared;
  const title = header && `${file.hasByteOrderMark ? '\ufeff' : ''}${header.raw}`;
  return openOutputFile(path, title, prepared, appends, lineEnd);
}

/** Opens a file, and writes its header if it is new. Throws if it is the input file. */
export async function openOutputFile(
  path: string | undefined,
  header: string | undefined,
  { file }: Pick<PreparedImport, 'file'>,
  appends: boolean,
  lineEnd = '\n',
): Promise<OutputFile | undefined> {
  if (path === undefined) return undefined;
  const source = await file.handle.stat();
  const target = await findStat(path);
  if (target?.ino === source.ino && target.dev === source.dev) {
    throw new UsageError(`${path} is the input file; choose another output file`);
  }
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

async function findStat(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
