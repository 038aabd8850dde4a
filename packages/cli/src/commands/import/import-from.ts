import { ShortyError } from '@shorty/sdk';
import { Option } from 'commander';
import { CliError, UsageError } from '../../cli-error.js';
import { collect, type DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import type { LinkQuota } from '../../import/check-rows.js';
import { type LinkSource, type LinkSourceName, linkSources } from '../../import/link-sources.js';
import { type FileCodes, markTaken } from '../../import/mark-taken.js';
import { addImportOptions, type ImportOptions, importFile, patience } from '../urls/bulk-create.js';
import { addCsvOptions } from '../urls/csv-options.js';

interface ForeignOptions extends ImportOptions {
  readonly domain?: readonly string[];
  readonly newCodes?: boolean;
}

/** Returns the command that imports the exports of a service. */
export function importFrom(name: LinkSourceName): { define: DefineCommand } {
  const source: LinkSource = linkSources[name];
  const define: DefineCommand = (command, start) => {
    command
      .argument('<file>', `export of ${source.title}, as CSV or as JSON of its API; - for stdin`)
      .addOption(
        new Option(
          '--domain <old=new>',
          'create the links of an old domain on this custom domain; repeatable',
        ).argParser(collect),
      )
      .option('--new-codes', 'create links with new short codes, without the old ones');
    addImportOptions(addCsvOptions(command))
      .addHelpText('after', help)
      .action((file: string, options: ForeignOptions) =>
        start((context) => importExport(context, file, options, source)),
      );
  };
  return { define };
}

const help = `
Codes, titles, tags, expiries, dates of creation and paused links stay as they
are. The old code becomes the short code of the link. The old click totals
become importedClicks, which reports show separately. A link that has expired is
created paused. Links are created on the domain of the server, unless --domain
names a custom domain.

Start with --dry-run: it shows the domains in the file, and the codes that are
taken or not valid.

To resume an interrupted import, or one that reached the plan's quota, run the
same command again. It creates no link twice.`;

async function importExport(
  context: Context,
  file: string,
  { domain = [], ...options }: ForeignOptions,
  source: LinkSource,
) {
  const moves = domain.map(parseMove);
  const ids = await readDomainIds(context, new Set(moves.map(({ to }) => to)));
  return importFile(context, file, options, {
    source,
    domains: new Map(moves.map(({ from, to }) => [from, ids.get(to) ?? ''])),
    keepsCodes: options.newCodes !== true,
    readExisting: async (codes) => {
      await compareCodes(context, codes, options);
      return {
        codes,
        hostnames: new Map([...ids].map(([hostname, id]) => [id, hostname])),
        quota: await readQuota(context, options),
      };
    },
  });
}

function parseMove(text: string): { from: string; to: string } {
  const [from, to, ...more] = text.split('=').map((part) => part.trim().toLowerCase());
  if (from && to && more.length === 0) return { from, to };
  throw new UsageError(
    `--domain ${text}: must have the form old=new`,
    'such as bit.ly=go.example.com',
  );
}

/** Returns the ids of custom domains by their host names. */
async function readDomainIds(
  { client, io }: Context,
  hostnames: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  if (hostnames.size === 0) return ids;
  for await (const { id, hostname, isActive } of (await client()).domains.list(
    {},
    { signal: io.interrupt },
  )) {
    if (!hostnames.has(hostname)) continue;
    if (!isActive) {
      throw new CliError(`the domain ${hostname} is not verified`, {
        hint: `run shorty domains verify ${id}`,
      });
    }
    ids.set(hostname, id);
  }
  const missing = [...hostnames].find((hostname) => !ids.has(hostname));
  if (missing === undefined) return ids;
  throw new CliError(`the organization has no domain ${missing}`, {
    hint: `add it with shorty domains create ${missing}`,
  });
}

/** Returns the plan's quota, or undefined when there is none or the server does not return it. */
async function readQuota(
  { client, io }: Context,
  options: ImportOptions,
): Promise<LinkQuota | undefined> {
  try {
    const { plan, links } = await (await client(patience(options))).usage.get(
      {},
      { signal: io.interrupt, maxRetries: 0 },
    );
    const { used, included } = links;
    return included === null ? undefined : { plan, used, included };
  } catch (error) {
    // compareCodes reports that the server does not respond.
    if (!(error instanceof ShortyError || error instanceof CliError)) throw error;
    return undefined;
  }
}

/** Marks the codes that exist already; none when the server does not return them. */
async function compareCodes(
  { client, io, output }: Context,
  codes: FileCodes,
  options: ImportOptions,
): Promise<void> {
  try {
    await markTaken(await client(patience(options)), codes, { signal: io.interrupt });
  } catch (error) {
    if (!(error instanceof ShortyError || error instanceof CliError)) throw error;
    for (const code of codes.keys()) codes.set(code, false);
    output.note(`codes were not compared with those on the server: ${error.message}`);
  }
}
