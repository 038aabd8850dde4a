import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GoneError, NotFoundError, PermissionError, type QrRecord, type Shorty } from '@shorty/sdk';
import { CliError, systemErrorCode } from '../cli-error.js';
import { inPages } from '../in-pages.js';
import type { ExportJournal } from './export-journal.js';
import { codeInPayload, ExportNames } from './export-names.js';
import { writeWhole } from './write-whole.js';

export interface ExportOutcome {
  readonly id: string;
  /** `kept` is a file that an earlier run has written and that is still right. */
  readonly status: 'written' | 'kept' | 'failed';
  readonly file: string;
  readonly size: number | null;
  readonly error: string | null;
}

export interface ExportJob {
  readonly client: Shorty;
  readonly codes: AsyncIterable<QrRecord>;
  readonly folder: string;
  readonly journal: ExportJournal;
  /** Replace files that no export has written. */
  readonly overwrites: boolean;
  readonly signal: AbortSignal;
}

// As many pictures at once as a server bears without noticing.
const concurrency = 8;

/** Writes the picture of each code, and tells of each as soon as its group is done. */
export async function* runExport(job: ExportJob): AsyncGenerator<readonly ExportOutcome[]> {
  const names = new ExportNames(job.journal.entries.values());
  const keyOf = linkKeys(job);
  for await (const codes of inPages(job.codes, concurrency)) {
    const keys = await Promise.all(codes.map(keyOf));
    // In the order of the list, so that codes of one link get the same names every time.
    const files = codes.map((code, index) => names.nameOf(code, keys[index]));
    yield await Promise.all(codes.map((code, index) => exportOne(job, code, files[index] ?? '')));
  }
}

async function exportOne(job: ExportJob, code: QrRecord, file: string): Promise<ExportOutcome> {
  const { client, folder, journal, signal, overwrites } = job;
  const { id, updatedAt } = code;
  const path = join(folder, file);
  const entry = journal.entries.get(id);
  const existing = await findFile(path);
  const isOurs = entry?.file === file;
  if (isOurs && entry.updatedAt === updatedAt && existing?.isFile && existing.size === entry.size) {
    return { id, status: 'kept', file, size: existing.size, error: null };
  }
  // Told before the file is there: should we be stopped between, the file is known to be ours.
  if (!existing && !isOurs) await journal.record({ id, file });
  try {
    const { bytes } = await client.qr.download(id, { signal });
    const isSame =
      existing?.isFile === true && bytes.length === existing.size && (await holds(path, bytes));
    if (existing && !isOurs && !isSame && !overwrites) {
      throw new CliError('a file of this name is there that no export has written');
    }
    if (!isSame) await writeWhole(path, bytes);
    await journal.record({ id, file, size: bytes.length, updatedAt });
    return { id, status: 'written', file, size: bytes.length, error: null };
  } catch (error) {
    // The next code may fare better, unless it is the server or the credentials.
    const isOfThisCode =
      error instanceof GoneError || error instanceof NotFoundError || error instanceof CliError;
    if (!isOfThisCode) throw error;
    return { id, status: 'failed', file, size: null, error: error.message };
  }
}

/** The slug or code of a code's link; each link is read once. */
function linkKeys({ client, signal }: ExportJob): (code: QrRecord) => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>();
  const read = async (urlId: string, qrData: string) => {
    try {
      const { customSlug, shortCode } = await client.urls.get(urlId, { signal });
      return customSlug ?? shortCode;
    } catch (error) {
      // Codes may be read without links: then their payload has the name.
      if (error instanceof PermissionError) return codeInPayload(qrData);
      throw error;
    }
  };
  return async ({ urlId, qrData }) => {
    if (urlId === null) return undefined;
    const key = known.get(urlId) ?? read(urlId, qrData);
    known.set(urlId, key);
    return key;
  };
}

async function findFile(path: string): Promise<{ isFile: boolean; size: number } | undefined> {
  try {
    const found = await lstat(path);
    return { isFile: found.isFile(), size: found.size };
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function holds(path: string, bytes: Uint8Array): Promise<boolean> {
  return Buffer.compare(await readFile(path), bytes) === 0;
}
