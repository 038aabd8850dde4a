import { type LinkSource, type LinkSourceName, linkSources } from '@shorty/import';
import { Option } from 'commander';
import { CliError, UsageError } from '../../cli-error.js';
import { collect, type DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import {
  addImportOptions,
  type ImportOptions,
  importFile,
  resumeHelp,
} from '../urls/bulk-create.js';
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

Start with --dry-run: it shows the domains in the file, the codes that are not
valid, and the settings that Shorty does not have.
${resumeHelp}`;

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
