import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GoneError, NotFoundError, PermissionError, type QrRecord, type Shorty } from '@shorty/sdk';
import { CliError, systemErrorCode } from '../cli-error.js';
import { groupIntoPages } from '../group-into-pages.js';
import { writeFileAtomically } from '../write-file-atomically.js';
import type { ExportJournal } from './export-journal.js';
import { codeInPayload, ExportNames } from './export-names.js';

export interface ExportOutcome {
  readonly id: string;
  /** `kept`: an earlier run wrote the file, and it is current. */
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
  /** Replace files that no export wrote. */
  readonly overwrites: boolean;
  readonly signal: AbortSignal;
}

// Low enough to leave the server capacity for other clients.
const concurrency = 8;

/** Writes the image of each QR code, and yields the outcomes group by group. */
export async function* runExport(job: ExportJob): AsyncGenerator<readonly ExportOutcome[]> {
  const names = new ExportNames(job.journal.entries.values());
  const keyOf = linkKeys(job);
  for await (const codes of groupIntoPages(job.codes, concurrency)) {
    const keys = await Promise.all(codes.map(keyOf));
    // In list order, so that several codes of one link get the same names in every run.
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
  const isRecorded = entry?.file === file;
  if (
    isRecorded &&
    entry.updatedAt === updatedAt &&
    existing?.isFile &&
    existing.size === entry.size
  ) {
    return { id, status: 'kept', file, size: existing.size, error: null };
  }
  // Recorded before the write, so that a run after an interruption may replace the file.
  if (!existing && !isRecorded) await journal.record({ id, file });
  try {
    const { bytes } = await client.qr.download(id, { signal });
    const isSame =
      existing?.isFile === true &&
      bytes.length === existing.size &&
      (await hasContent(path, bytes));
    if (existing && !isRecorded && !isSame && !overwrites) {
      throw new CliError(
        'a file with this name exists that no export wrote; --overwrite replaces it',
      );
    }
    if (!isSame) await writeFileAtomically(path, bytes);
    await journal.record({ id, file, size: bytes.length, updatedAt });
    return { id, status: 'written', file, size: bytes.length, error: null };
  } catch (error) {
    // Other errors concern the server or the credentials and would repeat for every code.
    const isLimitedToCode =
      error instanceof GoneError || error instanceof NotFoundError || error instanceof CliError;
    if (!isLimitedToCode) throw error;
    return { id, status: 'failed', file, size: null, error: error.message };
  }
}

/** Returns a function that finds the slug or short code of a QR code's link, with a cache. */
function linkKeys({ client, signal }: ExportJob): (code: QrRecord) => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>();
  const read = async (urlId: string, qrData: string) => {
    try {
      const { customSlug, shortCode } = await client.urls.get(urlId, { signal });
      return customSlug ?? shortCode;
    } catch (error) {
      // A client without urls:read takes the short code from the payload.
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

async function hasContent(path: string, bytes: Uint8Array): Promise<boolean> {
  return Buffer.compare(await readFile(path), bytes) === 0;
}
