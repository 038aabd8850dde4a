import { lstat, mkdir, readFile, realpath, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { formatCount, formatDuration } from '@shorty/report';
import { GoneError, NotFoundError, PermissionError, type QrRecord, type Shorty } from '@shorty/sdk';
import { InvalidArgumentError } from 'commander';
import { CliError, exitCodeOf, UsageError } from '../cli-error.js';
import type { CommandRow } from '../command.js';
import { columnsOf } from '../format-rows.js';
import { groupIntoPages } from '../read-pages.js';
import { type Named, naming } from '../records.js';
import { replaceFile } from '../replacement-file.js';
import { openLiveView } from '../ui/live-view.js';

type Format = QrRecord['format'];

interface ExportOptions {
  readonly out: string;
  readonly format?: readonly Format[];
  readonly tag?: string;
  readonly urlId?: Named;
  readonly all?: boolean;
  readonly overwrite?: boolean;
}

interface ExportOutcome {
  readonly id: string;
  /** `unchanged`: an earlier run wrote the file, and it is current. */
  readonly status: 'written' | 'unchanged' | 'failed';
  readonly file: string;
  readonly size: number | null;
  readonly error: string | null;
}

const formats: readonly Format[] = ['png', 'svg', 'webp'];
const columns = columnsOf<ExportOutcome>('id', 'status', 'file', 'size', 'error');
// Concurrent requests. Low enough to leave the server capacity for other clients.
const concurrency = 8;

export const exportQrs: CommandRow = {
  summary: 'Write QR code images to a folder',
  examples: [
    'shorty qr export --all --out codes',
    'shorty qr export --tag spring --format svg,png --out codes',
  ],
  options: {
    '--out <folder>': { text: 'output folder; created if it does not exist', isRequired: true },
    '--format <formats>': {
      text: 'only QR codes in these formats: png, svg, webp',
      parse: parseFormats,
    },
    '--tag <tag>': {
      text: 'QR codes of links with this tag; creates those that are missing',
      conflicts: ['all', 'urlId'],
    },
    '--url-id <link>': { ...naming('link', 'only QR codes of this link'), conflicts: 'all' },
    '--all': 'every QR code',
    '--overwrite': 'replace files that differ',
  },
  help: `The file name is the slug or short code of the link, or the id of the QR code.
Run the same command again after an interruption. It fetches only missing
images, and with --overwrite changed ones. It writes no file outside the folder.`,
  run: async (context, options: ExportOptions) => {
    const { io, output } = context;
    if (options.urlId === undefined && options.tag === undefined && !options.all) {
      throw new UsageError('--url-id, --tag or --all is required', 'see --help');
    }
    output.requireRows();
    const client = await context.client();
    // Oldest first, so that another code of a link does not change the names of those before.
    const codes = (await readCodes(client, options, io.interrupt)).reverse();
    const folder = await openFolder(options.out);
    const counts = { written: 0, unchanged: 0, failed: 0 };
    const errors: ExportOutcome[] = [];
    const progress = await openLiveView(context);
    const startedAt = io.now();
    const keyOf = linkKeys(client, io.interrupt);
    const taken = new Set<string>();
    const outcomes = async function* () {
      for await (const page of groupIntoPages(codes, concurrency)) {
        const keys = await Promise.all(page.map(keyOf));
        const files = page.map((code, index) => nameOf(code, keys[index], taken));
        const write = (code: QrRecord, index: number) =>
          exportOne(client, code, folder, files[index] ?? '', options, io.interrupt);
        const rows = await Promise.all(page.map(write));
        for (const { status } of rows) counts[status] += 1;
        errors.push(...rows.filter(({ status }) => status === 'failed'));
        const done = counts.written + counts.unchanged + counts.failed;
        const left = formatDuration(((io.now() - startedAt) / done) * (codes.length - done));
        progress.show([`${done} of ${formatCount(codes.length, 'code')}, ${left} left`]);
        yield rows;
      }
    };
    try {
      if (output.printsRows) await output.list(outcomes(), columns);
      else for await (const _ of outcomes());
    } catch (error) {
      progress.close();
      const done = formatCount(counts.written + counts.unchanged, 'code');
      output.warn(`shorty: stopped after ${done}; run the same command again to resume`);
      throw error;
    } finally {
      progress.close();
      for (const { file, id, error } of errors) output.warn(`shorty: ${file} (${id}): ${error}`);
    }
    const { written, unchanged, failed } = counts;
    const counted = `${formatCount(codes.length, 'code')}: ${written} written, ${unchanged} unchanged, ${failed} failed`;
    await output.summary(counted, { ...counts, out: options.out, errors });
    return exitCodeOf(written + unchanged, failed);
  },
};

/** Returns the selected QR codes, and creates those that links with a tag do not have. */
async function readCodes(
  { qr, urls }: Shorty,
  { urlId, tag, format }: ExportOptions,
  signal: AbortSignal,
): Promise<QrRecord[]> {
  const codes: QrRecord[] = [];
  const isWanted = (code: QrRecord) => format?.includes(code.format) ?? true;
  if (tag === undefined) {
    const filter = urlId ? { urlId: await urlId.id() } : {};
    for await (const code of qr.list(filter, { signal })) if (isWanted(code)) codes.push(code);
    return codes;
  }
  for await (const { id } of urls.list({ tag }, { signal })) {
    const own: QrRecord[] = [];
    for await (const code of qr.list({ urlId: id }, { signal })) if (isWanted(code)) own.push(code);
    for (const each of format ?? (own.length === 0 ? [undefined] : [])) {
      if (own.some((code) => code.format === each)) continue;
      own.unshift(await qr.create({ urlId: id, ...(each && { format: each }) }, { signal }));
    }
    codes.push(...own);
  }
  return codes;
}

function parseFormats(text: string): Format[] {
  return text.split(',').map((name) => {
    const format = formats.find((each) => each === name.trim());
    if (format) return format;
    throw new InvalidArgumentError('It must be png, svg or webp, or several, such as svg,png.');
  });
}

async function openFolder(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true });
    return await realpath(path);
  } catch (error) {
    throw new UsageError(`--out ${path} cannot be used: ${(error as Error).message}`);
  }
}

// Without dots and separators, a name cannot leave its folder.
const safeName = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
// Reserved device names on Windows, with any extension.
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** Returns a file name that is not taken. `key` is the slug or short code of the link, if any. */
export function nameOf(
  { id, format }: Pick<QrRecord, 'id' | 'format'>,
  key: string | undefined,
  taken: Set<string>,
): string {
  // Values from the server must not become paths without validation.
  if (!uuid.test(id)) throw new CliError('the server returned a QR code with an invalid id');
  if (!formats.includes(format)) throw new CliError(`QR code ${id} has an unknown format`);
  const isUsable = key !== undefined && safeName.test(key) && !device.test(key);
  const base = isUsable ? key : `qr-${id.toLowerCase()}`;
  const plain = `${base}.${format}`;
  // In lower case, because many file systems ignore case.
  const isTaken = taken.has(plain.toLowerCase());
  const name = isTaken ? `${base}-${id.slice(-12).toLowerCase()}.${format}` : plain;
  taken.add(name.toLowerCase());
  return name;
}

/** Returns a function that finds the slug or short code of a QR code's link, with a cache. */
function linkKeys({ urls }: Shorty, signal: AbortSignal) {
  const known = new Map<string, Promise<string | undefined>>();
  const read = async (urlId: string, qrData: string) => {
    try {
      const { customSlug, shortCode } = await urls.get(urlId, { signal });
      return customSlug ?? shortCode;
    } catch (error) {
      // A client without urls:read takes the short code at the end of the payload.
      if (error instanceof PermissionError) return /\/([A-Za-z0-9-]+)$/.exec(qrData)?.[1];
      throw error;
    }
  };
  return async ({ urlId, qrData }: QrRecord): Promise<string | undefined> => {
    if (urlId === null) return undefined;
    const key = known.get(urlId) ?? read(urlId, qrData);
    known.set(urlId, key);
    return key;
  };
}

/** Writes the image of a QR code. The time of the file is that of the code's last change. */
async function exportOne(
  { qr }: Shorty,
  { id, updatedAt }: QrRecord,
  folder: string,
  file: string,
  { overwrite = false }: ExportOptions,
  signal: AbortSignal,
): Promise<ExportOutcome> {
  const path = join(folder, file);
  const changedAt = new Date(updatedAt);
  const existing = await lstat(path).catch(() => undefined);
  const isFile = existing?.isFile() === true;
  if (isFile && existing.mtime.getTime() === changedAt.getTime()) {
    return { id, status: 'unchanged', file, size: existing.size, error: null };
  }
  try {
    const { bytes } = await qr.download(id, { signal });
    const isSame = isFile && Buffer.compare(await readFile(path), bytes) === 0;
    if (existing && !isSame && !overwrite) {
      throw new CliError('a file with this name exists, and differs; --overwrite replaces it');
    }
    // A symbolic link would lead out of the folder.
    await replaceFile(path, bytes, { replacesLinks: true });
    await utimes(path, changedAt, changedAt);
    return { id, status: 'written', file, size: bytes.length, error: null };
  } catch (error) {
    // Other errors concern the server or the credentials and would repeat for every code.
    const isLimitedToCode =
      error instanceof GoneError || error instanceof NotFoundError || error instanceof CliError;
    if (!isLimitedToCode) throw error;
    return { id, status: 'failed', file, size: null, error: error.message };
  }
}
