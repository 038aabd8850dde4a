import { appendFileSync, closeSync, constants, openSync, readFileSync } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { GoneError, NotFoundError, PermissionError, type QrRecord, type Shorty } from '@shorty/sdk';
import { CliError, systemErrorCode } from '../cli-error.js';
import { groupIntoPages } from '../group-into-pages.js';
import { replaceFile } from '../replacement-file.js';
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
  /** Replace files that no export wrote. */
  readonly overwrites: boolean;
  readonly signal: AbortSignal;
}

/** A file that an export wrote, and `updatedAt` of the QR code at that time. */
interface Written {
  readonly id: string;
  readonly file: string;
  readonly size: number;
  readonly updatedAt: string;
}

// Low enough to leave the server capacity for other clients.
const concurrency = 8;

/** Writes the image of each QR code, and yields the outcomes group by group. */
export async function* runExport(job: ExportJob): AsyncGenerator<readonly ExportOutcome[]> {
  const log = openLog(job.folder);
  try {
    const written = new Map(readLog(log).map((each) => [each.id, each]));
    const names = new ExportNames(written.values());
    const keyOf = linkKeys(job);
    for await (const codes of groupIntoPages(job.codes, concurrency)) {
      const keys = await Promise.all(codes.map(keyOf));
      // In list order, so that several codes of one link get the same names in every run.
      const files = codes.map((code, index) => names.nameOf(code, keys[index]));
      const write = async (code: QrRecord, index: number) => {
        const outcome = await exportOne(job, code, files[index] ?? '', written.get(code.id));
        const { id, file, size } = outcome;
        if (outcome.status === 'written') {
          appendFileSync(log, `${JSON.stringify({ id, file, size, updatedAt: code.updatedAt })}\n`);
        }
        return outcome;
      };
      yield await Promise.all(codes.map(write));
    }
  } finally {
    closeSync(log);
  }
}

/** Opens the log of written files. It is in the folder, so that it moves with them. */
function openLog(folder: string): number {
  const path = join(folder, '.shorty-export.ndjson');
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  try {
    // O_NOFOLLOW, so that a symbolic link in the folder cannot redirect the write.
    return openSync(path, O_RDWR | O_CREAT | O_APPEND | (O_NOFOLLOW ?? 0), 0o644);
  } catch (error) {
    throw new CliError(`${path} cannot be opened: ${(error as Error).message}`, { cause: error });
  }
}

function readLog(log: number): Written[] {
  const text = readFileSync(log, 'utf8');
  // A crash can truncate the last line. The export then compares the file with the download.
  if (text !== '' && !text.endsWith('\n')) appendFileSync(log, '\n');
  return text.split('\n').flatMap((line) => {
    try {
      const { id, file, size, updatedAt } = JSON.parse(line);
      // Somebody could have edited it to a path outside the folder.
      return file === basename(file) && /^[\w.-]+\.\w+$/.test(file)
        ? [{ id, file, size, updatedAt }]
        : [];
    } catch {
      return [];
    }
  });
}

async function exportOne(
  { client, folder, signal, overwrites }: ExportJob,
  { id, updatedAt }: QrRecord,
  file: string,
  before: Written | undefined,
): Promise<ExportOutcome> {
  const path = join(folder, file);
  const existing = await lstat(path).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  });
  const isFile = existing?.isFile() === true;
  const isOwn = before?.file === file;
  if (isOwn && isFile && before.updatedAt === updatedAt && before.size === existing.size) {
    return { id, status: 'kept', file, size: before.size, error: null };
  }
  try {
    const { bytes } = await client.qr.download(id, { signal });
    // An interrupted run may have written the file, but not the log.
    const isSame = isFile && Buffer.compare(await readFile(path), bytes) === 0;
    if (existing && !isOwn && !isSame && !overwrites) {
      throw new CliError(
        'a file with this name exists that no export wrote; --overwrite replaces it',
      );
    }
    // A symbolic link would lead out of the folder.
    replaceFile(path, bytes, { replacesLinks: true });
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
