import { join } from 'node:path';
import { type Shorty, ShortyError } from '@shorty/sdk';
import { type Command, Option } from 'commander';
import { stateFolder } from '../../app-folders.js';
import { CliError, UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import type { ExitCode } from '../../exit-codes.js';
import { formatCount, formatNumber, printable } from '../../format.js';
import { type CheckOptions, checkRows, readCodes } from '../../import/check-rows.js';
import type { ResumeMode } from '../../import/decide-start.js';
import { chunkKey, importIdentity } from '../../import/import-identity.js';
import { fileChanged } from '../../import/import-input.js';
import { ImportReporter } from '../../import/import-reporter.js';
import { ImportSession } from '../../import/import-session.js';
import { importExitCode } from '../../import/import-summary.js';
import type { LinkRules } from '../../import/imported-link.js';
import { limitMemory } from '../../import/limit-memory.js';
import type { LinkSource } from '../../import/link-sources.js';
import type { FileCodes } from '../../import/mark-taken.js';
import { planChunks } from '../../import/plan-chunks.js';
import { type PreparedImport, prepareImport } from '../../import/prepare-import.js';
import { runImport } from '../../import/run-import.js';
import { createFields } from '../../import/url-fields.js';
import {
  addCsvOptions,
  addNoHeaderOption,
  type CsvFlags,
  readColumnOptions,
} from './csv-options.js';
import { parsePositive } from './link-options.js';

export interface ImportOptions extends CsvFlags {
  readonly dryRun?: boolean;
  readonly concurrency: number;
  /** True for --resume, false for --no-resume. */
  readonly resume?: boolean;
  readonly out?: string;
  readonly failedOut?: string;
  readonly retryFailed?: boolean;
  readonly skipExisting?: boolean;
  readonly retryFor: number;
}

/** What the import of another shortener's export adds to that of a CSV file. */
export interface ForeignExport extends Omit<LinkRules, 'now'> {
  readonly source: LinkSource;
  /** Reads what a dry run compares the rows with. Marks the codes that links have already. */
  readonly readExisting: (codes: FileCodes) => Promise<CheckOptions>;
}

const maxConcurrency = 32;
// The longest Retry-After that an import waits for. A rate limit lasts up to a minute.
const maxRetryDelayMs = 65_000;

export const define: DefineCommand = (command, start) => {
  command.argument('<file>', 'CSV file with a header row, or - for stdin');
  addNoHeaderOption(addCsvOptions(command));
  addImportOptions(command)
    .addHelpText('after', help)
    .action((file: string, options: ImportOptions) =>
      start((context) => importFile(context, file, options)),
    );
};

/** Adds the options of commands that create links from a file. */
export function addImportOptions(command: Command): Command {
  return command
    .option('--dry-run', 'check every row, create nothing')
    .addOption(
      new Option('--concurrency <count>', 'concurrent requests, at most 32')
        .argParser(parsePositive)
        .default(4),
    )
    .option('--resume', 'resume an interrupted import; fail if there is none')
    .option('--no-resume', 'import the whole file again, even if this creates links twice')
    .option('--retry-failed', 'import the failed rows of the earlier import of this file again')
    .option(
      '--skip-existing',
      'skip rows whose slug or code exists already, instead of reporting them',
    )
    .option('--out <file>', 'write the created links to this CSV file')
    .option('--failed-out <file>', 'write the failed rows unchanged to this file')
    .addOption(
      new Option('--retry-for <seconds>', 'time limit for retries of a request')
        .argParser(parsePositive)
        .default(600),
    );
}

const help = `
The first row names the columns. Names are API fields in any case, with or
without underscores: targetUrl (or url), customSlug (or slug), title, tags
(separated by |), expiresAt, importedCode, utm_source ... Other utm_* columns
become customUtmParams. An empty cell leaves the field unset.

To resume an interrupted import, or one that reached the plan's quota, run the
same command again. It creates no link twice.`;

/** Creates the links of a file. */
export async function importFile(
  context: Context,
  file: string,
  options: ImportOptions,
  foreign?: ForeignExport,
): Promise<ExitCode> {
  if (options.concurrency > maxConcurrency) {
    throw new UsageError(`--concurrency ${options.concurrency}: at most ${maxConcurrency}`);
  }
  if (options.retryFailed && options.resume !== undefined) {
    throw new UsageError('--retry-failed cannot be combined with --resume or --no-resume');
  }
  const { output } = context;
  const columns = readColumnOptions(options);
  const { encoding, delimiter, header: hasHeader } = options;
  const prepared = await prepareImport(
    file,
    {
      columns,
      fields: foreign ? { ...createFields, source: foreign.source } : createFields,
      encoding,
      delimiter,
      hasHeader,
    },
    context.io,
  );
  try {
    for (const note of prepared.notes) output.note(note);
    if (foreign) await checkDomains(prepared, foreign);
    if (options.dryRun) {
      limitMemory();
      const { failedOut } = options;
      if (!foreign) return await checkRows(prepared, context, { failedOut });
      const links = { ...foreign, now: context.io.now() };
      const codes = await readCodes(prepared, links, context);
      const existing = await foreign.readExisting(codes);
      return await checkRows(prepared, context, { ...existing, links, failedOut });
    }
    return await importRows(context, prepared, options, foreign);
  } finally {
    await prepared.close();
  }
}

/** Throws if no link of the file is on a domain of `--domain`. */
async function checkDomains(
  prepared: PreparedImport,
  { domains, keepsCodes }: ForeignExport,
): Promise<void> {
  if (domains.size === 0) return;
  const links = { domains, keepsCodes, now: 0 };
  const found = new Set<string>();
  for await (const { rows } of planChunks(prepared.rows(), prepared.plan, { links })) {
    for (const { host } of rows) if (host !== undefined) found.add(host);
  }
  const missing = [...domains.keys()].find((host) => !found.has(host));
  if (missing === undefined) return;
  const hosts = [...found].slice(0, 10).join(', ');
  throw new UsageError(
    `--domain ${missing}: no link of the file is on this domain`,
    hosts === '' ? 'the file names no domains' : printable(`the file has links on ${hosts}`),
  );
}

async function importRows(
  context: Context,
  prepared: PreparedImport,
  options: ImportOptions,
  foreign: ForeignExport | undefined,
): Promise<ExitCode> {
  const { io, output } = context;
  const settings = await context.settings();
  const { map, ignore } = readColumnOptions(options);
  const identity = importIdentity({
    sha256: prepared.sha256,
    baseUrl: settings.baseUrl.value,
    // Access tokens expire after an hour, and the import must keep its identity.
    account: settings.accessToken ? 'access token' : (settings.clientId?.value ?? ''),
    encoding: prepared.encoding,
    delimiter: prepared.delimiter,
    hasHeader: options.header ?? true,
    map,
    ignore,
    variant: foreign && [foreign.source.title, [...foreign.domains].sort(), foreign.keepsCodes],
  });
  const reporter = new ImportReporter(context, prepared, options);
  const client = await context.client({ ...patience(options), hooks: reporter.hooks });
  const session = await ImportSession.open(prepared, {
    folder: join(stateFolder(io), 'imports'),
    identity,
    mode: resumeMode(options),
    outPath: options.out,
    failedOutPath: options.failedOut,
    skipsExisting: options.skipExisting === true,
    now: io.now,
    onWait: () =>
      output.note('another process imports this file, or did a moment ago; waiting for its lock'),
  });
  const signal = AbortSignal.any([io.interrupt, session.lost]);
  limitMemory();
  const convert = foreign ? { links: { ...foreign, now: session.startedAt } } : {};
  let isQuotaReached = false;
  const importOnce = () =>
    runImport({
      chunks: planChunks(prepared.rows(), prepared.plan, convert),
      select: (chunk) => session.rowsToSend(chunk),
      concurrency: options.concurrency,
      signal,
      send: async (items, chunk, signal) => {
        const key = chunkKey(identity, session.requestFor(chunk));
        const { data, response } = await client.urls
          .bulkCreateChunk({ urls: items }, { idempotencyKey: key, signal })
          .withResponse();
        return { result: data, isReplayed: response.headers.get('idempotent-replayed') === 'true' };
      },
      onChunk: async (outcome) => {
        const postponed = session.record(outcome);
        await reporter.report(outcome, session.done);
        // A stored response says nothing about the quota now.
        if (postponed > 0 && !outcome.isReplayed) isQuotaReached = true;
        return isQuotaReached ? 'stop' : 'continue';
      },
    });
  try {
    await reporter.begin(session.start);
    do await importOnce();
    while (session.postponed > 0 && !isQuotaReached);
    if (isQuotaReached) session.stop();
    else session.finish();
  } catch (caught) {
    const error = session.lost.aborted ? session.lost.reason : caught;
    reporter.end();
    const { rows, created, failed } = session.done;
    // An edited file is a new import, which the error explains.
    const isChanged = error instanceof CliError && error.code === fileChanged;
    const again =
      options.resume === false
        ? '; run it again without --no-resume to resume'
        : '; run the same command again to resume';
    output.warn(
      `shorty: stopped after ${formatCount(rows, 'row')} (${formatNumber(created)} created, ${formatNumber(failed)} failed)${isChanged ? '' : again}`,
    );
    throw error;
  } finally {
    await session.close();
  }
  const summary = await reporter.summarise(session.done, options, isQuotaReached);
  if (isQuotaReached) await explainQuota(context, client);
  return importExitCode(summary);
}

/** Returns the options of a client that waits for a server that is busy or restarts. */
export function patience({ retryFor }: Pick<ImportOptions, 'retryFor'>) {
  return {
    deadlineMs: retryFor * 1000,
    maxRetries: Number.POSITIVE_INFINITY,
    maxRetryDelayMs,
  };
}

function resumeMode({ resume, retryFailed }: ImportOptions): ResumeMode {
  if (retryFailed) return 'retry-failed';
  if (resume === undefined) return 'auto';
  return resume ? 'resume' : 'no-resume';
}

async function explainQuota({ io, output }: Context, client: Shorty): Promise<void> {
  output.warn(
    `shorty: ${await describeQuota(client, io.interrupt)}; change the plan or delete links, then run the same command again to create only the missing rows`,
  );
}

async function describeQuota(client: Shorty, signal: AbortSignal): Promise<string> {
  try {
    const { plan, links } = await client.usage.get({}, { signal, maxRetries: 0 });
    return `the plan ${plan} allows ${formatCount(links.included ?? 0, 'active link')}, and ${formatNumber(links.used)} exist`;
  } catch (error) {
    // The import has ended, and its exit code must not depend on this request.
    if (!(error instanceof ShortyError)) throw error;
    return 'the plan allows no more active links';
  }
}
