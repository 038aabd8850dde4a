import { type LinkSource, linkSources } from '@shorty/import';
import type { Domain } from '@shorty/sdk';
import { CliError, UsageError } from '../cli-error.js';
import { type CommandRow, repeatable } from '../command.js';
import type { ImportOptions } from '../import/import-report.js';
import { Named } from '../records.js';
import { importFile, importOptions, resumeHelp } from './urls/bulk-create.js';

const help = `Codes, titles, tags, expiries, dates of creation and paused links stay as they
are. The old code becomes the short code of the link. The old click totals
become importedClicks, which reports show separately. A link that has expired is
created paused. Links are created on the domain of the server, unless --domain
names a custom domain.

Start with --dry-run: it shows the domains in the file, the codes that are not
valid, and the settings that Shorty does not have.

${resumeHelp}`;

export const importCommands: Readonly<Record<string, CommandRow>> = Object.fromEntries(
  Object.values<LinkSource>(linkSources).map((source) => [source.name, importFrom(source)]),
);

/** Returns the command that imports the exports of a service. */
function importFrom(source: LinkSource): CommandRow {
  // The exports of these are JSON.
  const file = `links.${['kutt', 'tinyurl'].includes(source.name) ? 'json' : 'csv'}`;
  return {
    summary: `Import an export of ${source.title}`,
    examples: [
      `shorty import ${source.name} ${file} --dry-run`,
      `shorty import ${source.name} ${file} --domain go.example.com=go.example.com`,
    ],
    args: { '<file>': `export of ${source.title}, as CSV or as JSON of its API; - for stdin` },
    options: {
      '--domain <old=new>': repeatable('create the links of an old domain on this custom domain'),
      '--new-codes': 'create links with new short codes, without the old ones',
      ...importOptions,
    },
    help,
    writesCsv: true,
    run: async (context, { file, domain = [], newCodes, ...options }: ForeignOptions) => {
      const domains = new Map<string, string>();
      for (const { from, to } of domain.map(parseMove)) {
        const { id, hostname, isActive } = await new Named<Domain>('domain', to, context).read();
        if (!isActive) {
          const hint = `run shorty domains verify ${hostname}`;
          throw new CliError(`the domain ${hostname} is not verified`, { hint });
        }
        domains.set(from, id);
      }
      return importFile(context, file, options, { source, domains, keepsCodes: newCodes !== true });
    },
  };
}

interface ForeignOptions extends ImportOptions {
  readonly file: string;
  readonly domain?: readonly string[];
  readonly newCodes?: boolean;
}

function parseMove(text: string): { from: string; to: string } {
  const [from, to, ...more] = text.split('=').map((part) => part.trim().toLowerCase());
  if (from && to && more.length === 0) return { from, to };
  throw new UsageError(
    `--domain ${text}: must have the form old=new`,
    'such as bit.ly=go.example.com',
  );
}
