import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../cli-error.js';

/** What is known of a code's file. One without a size was begun, and may not be there. */
export interface ExportEntry {
  readonly id: string;
  readonly file: string;
  readonly size?: number;
  /** Of the code when its picture was fetched. */
  readonly updatedAt?: string;
}

/** In the folder itself, so that it goes where the files go. */
export const journalName = '.shorty-export.ndjson';

/** An append-only record of the files that exports have written into a folder. */
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
      // Not through a link: what lies in the folder must not have us write elsewhere.
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
    // A crash may have cut the last line off.
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

/** The entry of a line, or undefined for one that was cut off or is none of ours. */
function parseEntry(line: string): ExportEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Its file is compared with the picture instead.
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
