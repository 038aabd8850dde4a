import { setTimeout as wait } from 'node:timers/promises';
import { formatCount } from '@shorty/report';
import { type Domain, type DomainListQuery, type Shorty, ValidationError } from '@shorty/sdk';
import { CliError } from '../cli-error.js';
import { type CommandRow, defined, parsePositive, repeatable } from '../command.js';
import type { Context } from '../context.js';
import { bodyOf, clearFields, fieldOptions, requireChange } from '../field-options.js';
import { findDomainId } from '../find-domain.js';
import type responseFields from '../generated/response-fields.json';
import { columnsOf, type OutputFormat } from '../output.js';
import { readJson } from '../read-input.js';
import { openLiveView } from '../ui/live-view.js';
import { deleteCommand } from './change-command.js';
import { listPages, type PageOptions, pageOptions } from './list-command.js';

const domainArgument = { '<domain>': 'hostname or id of the domain' };
const clearable = ['rootUrl', 'notFoundUrl', 'expiredUrl', 'appleAppSiteAssociation', 'assetLinks'];

interface ListOptions extends PageOptions {
  readonly active?: boolean;
  readonly pending?: boolean;
  readonly hostname?: string;
}

interface UpdateOptions {
  readonly domain: string;
  readonly appleAppSiteAssociation?: string;
  readonly assetLinks?: string;
  readonly clear?: readonly string[];
}

interface VerifyOptions {
  readonly domain: string;
  readonly wait?: boolean;
  readonly waitFor: number;
  readonly every: number;
}

export const domainCommands: Readonly<Record<string, CommandRow>> = {
  create: {
    summary: 'Add a domain and show the TXT record to set',
    examples: ['shorty domains create go.example.com'],
    args: { '<hostname>': 'hostname of the links, for example go.example.com' },
    prints: printsDomain('POST /api/v1/domains'),
    run: async (context, { hostname }: { hostname: string }) => {
      const { output } = context;
      const domain = await (await context.client()).domains.create({ hostname }, context.request);
      await writeDomain(context, domain);
      const { name, type, value } = domain.txtRecord;
      output.note(`\nSet this record in DNS:\n\n  ${name}  ${type}  ${value}\n`);
      output.note(`Then run: shorty domains verify ${domain.hostname} --wait`);
    },
  },
  list: {
    summary: 'List domains, newest first',
    examples: ['shorty domains list --pending'],
    options: {
      '--active': { text: 'only active domains', conflicts: 'pending' },
      '--pending': 'only domains that are not verified',
      '--hostname <name>': 'only the domain with this hostname',
      ...pageOptions('domain'),
    },
    run: async (context, { active, pending, hostname, ...pages }: ListOptions) => {
      const { domains } = await context.client();
      const isActive = active || pending ? active === true : undefined;
      const filter: DomainListQuery = defined({ isActive, hostname });
      const columns = columnsOf<Domain>('id', 'hostname', 'isActive', 'verifiedAt', 'lastError');
      return listPages(context, pages, columns, (page) =>
        domains.list({ ...filter, ...page }, context.request),
      );
    },
  },
  get: {
    summary: 'Show a domain and its TXT record',
    examples: ['shorty domains get go.example.com'],
    args: domainArgument,
    run: async (context, { domain }: { domain: string }) => {
      const client = await context.client();
      const id = await findDomainId(client, domain, context.request);
      return writeDomain(context, await client.domains.get(id, context.request));
    },
  },
  update: {
    summary: 'Change the settings of a domain',
    examples: ['shorty domains update go.example.com --ignore-case'],
    args: domainArgument,
    options: {
      ...fieldOptions('updateDomain'),
      '--apple-app-site-association <file>': 'JSON file for iOS apps',
      '--asset-links <file>': 'JSON file for Android apps',
      '--clear <field>': repeatable('field to clear'),
    },
    prints: printsDomain('PATCH /api/v1/domains/{id}'),
    run: async (context, { domain, clear, ...input }: UpdateOptions) => {
      const patch = bodyOf('updateDomain', input);
      for (const name of ['appleAppSiteAssociation', 'assetLinks'] as const) {
        // The server checks the form of the documents.
        if (input[name] !== undefined) patch[name] = await readJson(context, input[name]);
      }
      clearFields(patch, clear, clearable);
      requireChange(patch);
      const client = await context.client();
      const id = await findDomainId(client, domain, context.request);
      const record = await client.domains.update(id, patch, context.request);
      const print = () => writeDomain(context, record);
      await context.output.updated(record.hostname, patch, record, print);
    },
  },
  verify: {
    summary: 'Check the TXT record in DNS and activate the domain',
    examples: ['shorty domains verify go.example.com --wait'],
    args: domainArgument,
    options: {
      '--wait': 'repeat until DNS contains the TXT record',
      '--wait-for <minutes>': {
        text: 'time limit of --wait',
        parse: parsePositive,
        default: 30,
      },
      '--every <seconds>': { text: 'interval of --wait', parse: parsePositive, default: 15 },
    },
    prints: printsDomain('POST /api/v1/domains/{id}/verify'),
    run: async (context, input: VerifyOptions) => {
      const client = await context.client();
      const id = await findDomainId(client, input.domain, context.request);
      const domain = input.wait
        ? await untilVerified(context, client, id, input)
        : await client.domains.verify(id, context.request);
      await writeDomain(context, domain);
      context.output.note(
        `create links on it: shorty urls create <url> --domain-id ${domain.hostname}`,
      );
    },
  },
  delete: deleteCommand(
    { noun: 'domain', verb: 'Delete' },
    {
      summary: 'Delete domains without active links',
      examples: ['shorty domains delete go.example.com'],
      args: { '<domain...>': 'hostnames or ids of the domains' },
    },
    ({ domains }, request) => ({
      find: (each) => domains.get(each, request),
      change: (each) => domains.delete(each, request),
    }),
    findDomainId,
  ),
};

/** Prints a domain. Tables and CSV have separate fields for the TXT record. */
async function writeDomain({ output }: Context, domain: Domain): Promise<undefined> {
  const { txtRecord, ...fields } = domain;
  const isNested = output.format === 'json' || output.format === 'ndjson';
  const parts = { txtName: txtRecord.name, txtValue: txtRecord.value };
  if (isNested) await output.record(domain);
  else await output.record({ ...(output.fields ? domain : fields), ...parts });
}

function printsDomain(route: keyof typeof responseFields) {
  return (format: OutputFormat) => [
    route,
    ...(format === 'json' || format === 'ndjson' ? [] : txtFields),
  ];
}

const txtFields = ['txtName', 'txtValue'];

/** Repeats the verification while DNS does not contain the record. Throws any other error. */
async function untilVerified(
  context: Context,
  { domains }: Shorty,
  id: string,
  { waitFor, every }: VerifyOptions,
): Promise<Domain> {
  const { io, output, request } = context;
  const endsAt = io.now() + waitFor * 60_000;
  const progress = await openLiveView(context);
  let lastMessage: string | undefined;
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await domains.verify(id, request);
      } catch (error) {
        if (!(error instanceof ValidationError) || error.code !== 'DOMAIN_INVALID') throw error;
        const { message } = error;
        // Prints each message once, until it changes.
        if (message !== lastMessage && !output.isQuiet) progress.log(message);
        lastMessage = message;
        if (io.now() + every * 1000 > endsAt) {
          const limit = formatCount(waitFor, 'minute');
          const problem = `not verified within ${limit}: ${message}`;
          throw new CliError(problem, { code: 'DOMAIN_INVALID', cause: error });
        }
      }
      progress.show([
        `checked DNS ${formatCount(attempt, 'time')}; next check in ${every} s; Ctrl-C stops`,
      ]);
      await wait(every * 1000, undefined, request);
    }
  } finally {
    progress.close();
  }
}
