import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  createFields,
  findItemError,
  type ImportChunk,
  type LinkRules,
  type LinkSource,
  planChunks,
  withDomainIds,
} from '@shorty/import';
import { formatCount, formatInstant, formatNumber } from '@shorty/report';
import type { UrlCreateRequest } from '@shorty/sdk';
import { type ExitCode, UsageError } from '../../cli-error.js';
import { type CommandRow, type OptionRows, parsePositive } from '../../command.js';
import { createPrivateFolder, stateFolder } from '../../config-file.js';
import type { Context } from '../../context.js';
import { type ImportOptions, ImportReport, patience } from '../../import/import-report.js';
import { csvOptions, type PreparedImport, withImport } from '../../import/prepare-import.js';
import { ProgressFile } from '../../import/progress-file.js';
import { sendChunks } from '../../import/send-chunks.js';
import { domainFinder } from '../../records.js';
import { followLinks, formatOfFile } from '../../replacement-file.js';
import { noLiveView, openLiveView } from '../../ui/live-view.js';

/** What the import of another shortener's export adds to that of a CSV file. */
export interface ForeignExport extends Omit<LinkRules, 'now'> {
  readonly source: LinkSource;
}

const maxConcurrency = 32;

export const resumeHelp = `To resume an interrupted import, or one that reached the plan's quota, run the
same command again. Within 24 hours, it creates each row once. Later, it skips
what is finished, and lists the rows that may have arrived: --resend sends them.`;

/** The options of commands that create links from a file. */
export const importOptions: OptionRows = {
  ...csvOptions,
  '--dry-run': 'check every row, create nothing',
  '--concurrency <count>': {
    text: 'concurrent requests, at most 32',
    parse: parsePositive,
    default: 4,
  },
  '--resume': 'resume an interrupted import; fail if there is none',
  '--no-resume': 'import the whole file again, even if this creates links twice',
  '--resend': 'send the rows that may have arrived, even if this creates links twice',
  '--skip-existing': 'skip rows whose slug or code exists already, instead of reporting them',
  '--out <file>': 'write the created links to this CSV file, and resume it with the import',
  '--failed-out <file>': 'write the failed rows to this file, with their reasons',
};

export const bulkCreate: CommandRow = {
  summary: 'Create short links from a CSV file of any size',
  examples: [
    'shorty urls bulk-create links.csv --out created.csv --failed-out bad.csv',
    'shorty urls bulk-create links.csv --map Link=targetUrl --ignore-columns Notes',
  ],
  args: { '<file>': 'CSV file with a header row, or - for stdin' },
  options: importOptions,
  help: `The first row names the columns. Names are API fields in any case, with or
without underscores: targetUrl (or url), customSlug (or slug), title, tags
(separated by |, or by commas), expiresAt, domainId (or its hostname),
importedCode, utm_source ... Other utm_* columns become customUtmParams. An
empty cell leaves the field unset. The column error, which --failed-out writes,
is ignored.

${resumeHelp}`,
  writesCsv: true,
  run: (context, { file, ...options }: ImportOptions & { readonly file: string }) =>
    importFile(context, file, options),
};

/** Creates the links of a file. */
export async function importFile(
  context: Context,
  path: string,
  options: ImportOptions,
  foreign?: ForeignExport,
): Promise<ExitCode> {
  if (options.concurrency > maxConcurrency) {
    throw new UsageError(`--concurrency ${options.concurrency}: at most ${maxConcurrency}`);
  }
  const { out, failedOut } = options;
  if (out !== undefined && failedOut !== undefined && followLinks(out) === followLinks(failedOut)) {
    throw new UsageError('--out and --failed-out must be different files');
  }
  if (out === '-' || failedOut === '-') {
    throw new UsageError(
      '--out and --failed-out must be files',
      '--output csv prints each row to stdout, with what became of it',
    );
  }
  const fields = foreign ? { ...createFields, source: foreign.source } : createFields;
  formatOfFile(out, ['csv']);
  formatOfFile(failedOut, ['csv'], { option: '--failed-out' });
  return withImport(context, path, { ...options, fields }, async (prepared) => {
    const links = foreign && { ...foreign, now: context.io.now() };
    if (links) await checkDomains(prepared, links);
    let progress: ProgressFile | undefined;
    if (!options.dryRun || failedOut !== undefined) {
      const identity = await identify(context, prepared, options, foreign);
      const folder = join(stateFolder(context.io), 'imports');
      await createPrivateFolder(folder, 'SHORTY_STATE_DIR');
      const restart = options.resume === false && !options.dryRun;
      progress = new ProgressFile(folder, identity, context.io.now, restart);
    }
    return progress && !options.dryRun
      ? importRows(context, prepared, options, foreign, progress)
      : checkRows(context, prepared, options, links, progress);
  });
}

/** Validates each row of a file, reports the errors, and writes the invalid rows. Creates nothing. */
async function checkRows(
  context: Context,
  prepared: PreparedImport,
  options: ImportOptions,
  links: LinkRules | undefined,
  progress: ProgressFile | undefined,
): Promise<ExitCode> {
  const { io } = context;
  const report = new ImportReport(context, prepared, options, progress, noLiveView);
  const chunks = planChunks(prepared.rows(), prepared.plan, links && { links });
  for await (const { rows } of withDomainIds(chunks, domainFinder(context))) {
    io.interrupt.throwIfAborted();
    const results = rows.map((row) => {
      const message = row.item ? findItemError(row.item, io.now()) : (row.error ?? '');
      const code = row.item ? 'CREATE_FAILED' : 'INVALID_ROW';
      return message === undefined ? { row, created: {} } : { row, failure: { message, code } };
    });
    report.add(results);
  }
  return report.summarise();
}

/** Throws if no link of the file is on a domain of `--domain`. */
async function checkDomains(prepared: PreparedImport, links: LinkRules): Promise<void> {
  if (links.domains.size === 0) return;
  const found = new Set<string>();
  for await (const { rows } of planChunks(prepared.rows(), prepared.plan, { links })) {
    for (const { host } of rows) if (host !== undefined) found.add(host);
  }
  const missing = [...links.domains.keys()].find((host) => !found.has(host));
  if (missing === undefined) return;
  throw new UsageError(
    `--domain ${missing}: no link of the file is on this domain`,
    found.size === 0
      ? 'the file names no domains'
      : `the file has links on ${[...found].slice(0, 10).join(', ')}`,
  );
}

async function importRows(
  context: Context,
  prepared: PreparedImport,
  options: ImportOptions,
  foreign: ForeignExport | undefined,
  progress: ProgressFile,
): Promise<ExitCode> {
  const { io, output } = context;
  const { concurrency, resume } = options;
  if (resume && !progress.isContinued) {
    throw new UsageError(
      'this file has no interrupted import',
      'without --resume the import starts at the first row',
    );
  }
  if (progress.isContinued) {
    output.note(`continuing the import that started on ${formatInstant(progress.startedAt)}`);
  }
  const live = await openLiveView(context);
  const report = new ImportReport(context, prepared, options, progress, live);
  const client = await context.client(patience((note) => report.tellRetry(note)));
  const links = foreign && { ...foreign, now: progress.startedAt };
  const planned = planChunks(prepared.rows(), prepared.plan, links && { links });
  const chunks = async function* (): AsyncGenerator<ImportChunk> {
    for await (const chunk of withDomainIds(planned, domainFinder(context))) {
      // The chunks in flight still follow.
      if (report.quota !== undefined) return;
      report.addEarlier(progress.earlier(chunk));
      const rows = progress.rowsToSend(chunk);
      if (rows.length === 0) continue;
      if (progress.isUncertain(chunk) && !options.resend) {
        report.uncertain += rows.length;
        output.warn(`lines ${rows[0]?.line} to ${rows.at(-1)?.line} may have arrived`);
      } else yield { ...chunk, rows };
    }
  };
  const outcomes = async function* () {
    const send = async (items: UrlCreateRequest[], chunk: ImportChunk, signal: AbortSignal) => {
      const idempotencyKey = progress.keyOf(chunk, items);
      progress.recordSent(chunk);
      return client.urls.bulkCreateChunk({ urls: items }, { idempotencyKey, signal });
    };
    for await (const { chunk, rows } of sendChunks(chunks(), concurrency, io.interrupt, send)) {
      const { counts, outcomes } = report.add(rows);
      progress.recordDone(chunk, counts, report.sizes);
      yield outcomes;
    }
  };
  try {
    const rows = outcomes();
    if (output.printsRows) {
      // A closed pipe ends the output, but not the import.
      const pages = { [Symbol.asyncIterator]: () => ({ next: () => rows.next() }) };
      await output.list(pages, report.columns);
    }
    for await (const _ of rows);
  } catch (error) {
    report.end();
    const { rows, created, failed } = report.counts;
    const again = resume === false ? 'it again without --no-resume' : 'the same command again';
    output.warn(
      `shorty: stopped after ${formatCount(rows, 'row')} (${formatNumber(created)} created, ${formatNumber(failed)} failed); run ${again} to resume`,
    );
    throw error;
  }
  return report.summarise();
}

/** Returns the id of an import. It depends on the file, the account and the parsing options. */
async function identify(
  context: Context,
  { file, delimiter, options: { map, ignore, cells } }: PreparedImport,
  options: ImportOptions,
  foreign: ForeignExport | undefined,
): Promise<string> {
  const { output } = context;
  const { baseUrl } = await context.settings();
  const readAccount = async () => {
    const waiting = options.dryRun ? { maxRetries: 0 } : patience((note) => output.note(note));
    const client = await context.client(waiting);
    const { organization, apiKey } = await client.me(context.request);
    // Another key continues the import, unless its links are on another domain.
    return [organization.id, apiKey?.domainId];
  };
  const account = await readAccount().catch((error: unknown) => {
    // A dry run needs no server: without one, it knows no account.
    if (!options.dryRun) throw error;
  });
  const facts = [
    file.sha256,
    baseUrl.value,
    account,
    ...[delimiter, [...map].sort()],
    ignore === 'all' ? ignore : [...ignore].sort(),
    cells,
    foreign && [foreign.source.name, [...foreign.domains].sort(), foreign.keepsCodes],
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}
