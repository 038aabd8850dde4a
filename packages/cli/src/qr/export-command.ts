import { mkdir, realpath, stat } from 'node:fs/promises';
import { formatCount, formatDuration } from '@shorty/report';
import type { QrListQuery, QrRecord, Shorty } from '@shorty/sdk';
import { InvalidArgumentError } from 'commander';
import { UsageError } from '../cli-error.js';
import type { CommandRow } from '../command.js';
import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { columnsOf } from '../output.js';
import { type Named, naming } from '../records.js';
import { openLiveView } from '../ui/live-view.js';
import { type ExportOutcome, runExport } from './run-export.js';

interface ExportOptions {
  readonly out: string;
  readonly format?: readonly QrRecord['format'][];
  readonly tag?: string;
  readonly urlId?: Named;
  readonly all?: boolean;
  readonly overwrite?: boolean;
}

const columns = columnsOf<ExportOutcome>(...(['id', 'status', 'file', 'size', 'error'] as const));
const summary = ['written', 'kept', 'failed', 'out', 'errors'];
const maxListedErrors = 1000;

export const exportQrs: CommandRow = {
  summary: 'Write QR code images to a folder',
  examples: [
    'shorty qr export --all --out codes',
    'shorty qr export --url-id 42 --format svg --out codes',
    'shorty qr export --tag spring --format svg,png --out codes',
  ],
  options: {
    '--out <folder>': {
      text: 'output folder; created if it does not exist',
      isRequired: true,
    },
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
    '--overwrite': 'replace files that no export wrote',
  },
  help: `The file name is the slug or short code of the link, or the id of the QR code.
Run the same command again after an interruption or after changes. It fetches
only missing and changed images. It writes no file outside the folder.`,
  prints: (format) => {
    if (format === 'table') return [];
    return format === 'json' ? summary : columns.map(({ name }) => name);
  },
  run: writeImages,
};

async function writeImages(context: Context, options: ExportOptions): Promise<ExitCode> {
  const { io, output } = context;
  const { urlId, all, tag, format, overwrite = false } = options;
  if (urlId === undefined && tag === undefined && !all) {
    throw new UsageError('--url-id, --tag or --all is required', 'see --help');
  }
  const client = await context.client();
  const signal = io.interrupt;
  const filter: QrListQuery = urlId ? { urlId: await urlId.id() } : {};
  const tagged = { tag: tag ?? '', isDeleted: false };
  const total =
    tag === undefined
      ? (await client.qr.list({ ...filter, limit: 1 }, { signal })).total
      : (await client.urls.list({ ...tagged, limit: 1 }, { signal })).total * (format?.length ?? 1);
  const folder = await openFolder(options.out);
  const counts = { written: 0, kept: 0, failed: 0 };
  const errors: ExportOutcome[] = [];
  const progress = await openLiveView(context);
  const startedAt = io.now();
  const codes = async function* () {
    if (tag !== undefined) {
      for await (const { id } of client.urls.list(tagged, { signal })) {
        yield* codesOfLink(client, id, format, signal);
      }
      return;
    }
    for await (const code of client.qr.list(filter, { signal })) {
      if (format?.includes(code.format) ?? true) yield code;
    }
  };
  const outcomes = async function* () {
    const job = { client, codes: codes(), folder, overwrites: overwrite, signal };
    for await (const group of runExport(job)) {
      for (const outcome of group) {
        counts[outcome.status] += 1;
        if (outcome.status !== 'failed') continue;
        if (errors.length < maxListedErrors) errors.push(outcome);
        progress.log(`shorty: ${outcome.file} (${outcome.id}): ${outcome.error}`);
      }
      progress.show([describeProgress(counts, total, io.now() - startedAt)]);
      yield group;
    }
  };
  try {
    if (output.format === 'ndjson' || output.format === 'csv') {
      await output.list(outcomes(), columns);
    } else for await (const _ of outcomes());
  } catch (error) {
    progress.close();
    const done = counts.written + counts.kept;
    output.warn(
      `shorty: stopped after ${formatCount(done, 'code')}; run the same command again to resume`,
    );
    throw error;
  } finally {
    progress.close();
  }
  const { written, kept, failed } = counts;
  const counted = `${formatCount(written + kept + failed, 'code')}: ${written} written, ${kept} unchanged, ${failed} failed`;
  if (output.format === 'json') await output.record({ ...counts, out: options.out, errors });
  else if (output.format === 'table' && !output.isQuiet) await output.message(counted);
  if (failed === 0) return exitCodes.done;
  return written + kept > 0 ? exitCodes.partlyDone : exitCodes.failed;
}

/** Yields the QR codes of a link, and creates one for each format that has none. */
async function* codesOfLink(
  { qr }: Shorty,
  urlId: string,
  formats: readonly (QrRecord['format'] | undefined)[] = [undefined],
  signal: AbortSignal,
): AsyncGenerator<QrRecord> {
  const codes: QrRecord[] = [];
  for await (const code of qr.list({ urlId }, { signal })) codes.push(code);
  for (const format of formats) {
    const found = codes.filter((code) => format === undefined || code.format === format);
    if (found.length > 0) yield* found;
    else yield await qr.create({ urlId, ...(format && { format }) }, { signal });
  }
}

function parseFormats(text: string): QrRecord['format'][] {
  return text.split(',').map((name) => {
    const format = (['png', 'svg', 'webp'] as const).find((each) => each === name.trim());
    if (format) return format;
    throw new InvalidArgumentError('It must be png, svg or webp, or several, such as svg,png.');
  });
}

async function openFolder(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true });
    const folder = await realpath(path);
    if ((await stat(folder)).isDirectory()) return folder;
  } catch (error) {
    throw new UsageError(`--out ${path} cannot be used: ${(error as Error).message}`);
  }
  throw new UsageError(`--out ${path} is not a folder`);
}

function describeProgress(
  { written, kept, failed }: Record<ExportOutcome['status'], number>,
  total: number,
  elapsedMs: number,
): string {
  const done = written + kept + failed;
  const failures = failed > 0 ? `, ${failed} failed` : '';
  const leftMs = written === 0 ? undefined : (elapsedMs / done) * Math.max(0, total - done);
  const left = leftMs === undefined ? '' : `, ${formatDuration(leftMs)} left`;
  return `${done} of ${formatCount(total, 'code')}${failures}${left}`;
}
