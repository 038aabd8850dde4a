import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../cli-error.js';

/** The file of a QR code. Without `size` the export started to write it and may not have finished. */
export interface ExportEntry {
  readonly id: string;
  readonly file: string;
  readonly size?: number;
  /** `updatedAt` of the QR code at the time of the download. */
  readonly updatedAt?: string;
}

/** The journal is in the export folder, so that it moves with the files. */
export const journalName = '.shorty-export.ndjson';

/** An append-only log of the files that exports wrote to a folder. */
export class ExportJournal {
  readonly entries = new Map<string, ExportEntry>();
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(folder: string): Promise<ExportJournal> {
    const path = join(folder, journalName);
    const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
    let file: FileHandle;
    try {
      // O_NOFOLLOW, so that a symbolic link in the folder cannot redirect the write.
      file = await open(path, O_RDWR | O_CREAT | O_APPEND | (O_NOFOLLOW ?? 0), 0o644);
    } catch (error) {
      throw new CliError(`${path} cannot be opened: ${(error as Error).message}`, { cause: error });
    }
    const journal = new ExportJournal(file);
    const text = await file.readFile('utf8');
    for (const line of text.split('\n')) {
      const entry = parseEntry(line);
      if (entry) journal.entries.set(entry.id, entry);
    }
    // A crash can truncate the last line.
    if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n');
    return journal;
  }

  async record(entry: ExportEntry): Promise<void> {
    this.entries.set(entry.id, entry);
    await this.#file.appendFile(`${JSON.stringify(entry)}\n`);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Parses a line. Returns undefined for a truncated or invalid line. */
function parseEntry(line: string): ExportEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // The export then compares the file with the download.
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, file, size, updatedAt } = value as Record<string, unknown>;
  if (typeof id !== 'string' || typeof file !== 'string' || /[/\\]|^\.\.?$/.test(file)) {
    return undefined;
  }
  return {
    id,
    file,
    ...(typeof size === 'number' ? { size } : {}),
    ...(typeof updatedAt === 'string' ? { updatedAt } : {}),
  };
}
