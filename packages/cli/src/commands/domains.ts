import { setTimeout as wait } from 'node:timers/promises';
import { formatCount } from '@shorty/report';
import { type Domain, type Shorty, ValidationError } from '@shorty/sdk';
import { CliError } from '../cli-error.js';
import { type CommandRow, parsePositive, repeatable } from '../command.js';
import type { Context } from '../context.js';
import { ifMatchOption } from '../etag.js';
import { bodyOf, clearFields, fieldOptions } from '../field-options.js';
import { readJson } from '../read-input.js';
import { type Named, naming } from '../records.js';
import { openLiveView } from '../ui/live-view.js';
import { changeCommand } from './change-command.js';
import { listCommand, requestCommand } from './request-command.js';

const domain = { '<domain>': naming('domain') };
const clearable = ['rootUrl', 'notFoundUrl', 'expiredUrl', 'appleAppSiteAssociation', 'assetLinks'];

interface UpdateOptions {
  readonly appleAppSiteAssociation?: string;
  readonly assetLinks?: string;
  readonly clear?: readonly string[];
}

interface VerifyOptions {
  readonly wait?: boolean;
  readonly waitFor: number;
  readonly every: number;
}

export const domainCommands: Readonly<Record<string, CommandRow>> = {
  create: requestCommand<Domain>({
    summary: 'Add a domain and show the TXT record to set',
    examples: ['shorty domains create go.example.com'],
    route: 'POST /api/v1/domains',
    args: { '<hostname>': 'hostname of the links, for example go.example.com' },
    note: ({ hostname, txtRecord: { name, type, value } }) =>
      `\nSet this record in DNS:\n\n  ${name}  ${type}  ${value}\n\nThen run: shorty domains verify ${hostname} --wait`,
  }),
  list: listCommand<Domain>({
    summary: 'List domains, newest first',
    examples: ['shorty domains list --pending'],
    route: 'GET /api/v1/domains',
    item: 'domain',
    columns: ['hostname', 'isActive', 'verifiedAt', 'lastError', 'id'],
    options: {
      '--active': { text: 'only active domains', conflicts: 'pending' },
      '--pending': 'only domains that are not verified',
      '--hostname <name>': 'only the domain with this hostname',
    },
    fields: ({ active, pending, ...query }: { active?: boolean; pending?: boolean }) => ({
      ...query,
      ...((active || pending) && { isActive: active === true }),
    }),
  }),
  get: requestCommand({
    summary: 'Show a domain and its TXT record',
    examples: ['shorty domains get go.example.com'],
    route: 'GET /api/v1/domains/{id}',
    args: domain,
    isVersioned: true,
  }),
  update: requestCommand<Domain>({
    summary: 'Change the settings of a domain',
    examples: ['shorty domains update go.example.com --ignore-case'],
    route: 'PATCH /api/v1/domains/{id}',
    args: domain,
    options: {
      ...fieldOptions('updateDomain'),
      '--apple-app-site-association <file>': 'JSON file for iOS apps',
      '--asset-links <file>': 'JSON file for Android apps',
      '--clear <field>': repeatable('field to clear'),
      '--if-match <etag>': ifMatchOption(),
    },
    fields: async ({ clear, ...input }: UpdateOptions, context) => {
      const patch = bodyOf('updateDomain', input);
      for (const name of ['appleAppSiteAssociation', 'assetLinks'] as const) {
        // The server checks the form of the documents.
        if (input[name] !== undefined) patch[name] = await readJson(context, input[name]);
      }
      clearFields(patch, clear, clearable);
      return patch;
    },
  }),
  verify: {
    summary: 'Check the TXT record in DNS and activate the domain',
    examples: ['shorty domains verify go.example.com --wait'],
    args: domain,
    options: {
      '--wait': 'repeat until DNS contains the TXT record',
      '--wait-for <minutes>': {
        text: 'time limit of --wait',
        parse: parsePositive,
        default: 30,
      },
      '--every <seconds>': { text: 'interval of --wait', parse: parsePositive, default: 15 },
    },
    prints: ['POST /api/v1/domains/{id}/verify'],
    run: async (context, { domain, ...input }: VerifyOptions & { domain: Named<Domain> }) => {
      const { output, request } = context;
      const client = await context.client();
      const id = await domain.id();
      const verified = input.wait
        ? await untilVerified(context, client, id, input)
        : await client.domains.verify(id, request);
      await output.record(verified);
      output.note(`create links on it: shorty urls create <url> --domain-id ${verified.hostname}`);
    },
  },
  delete: changeCommand(
    'Delete',
    'domain',
    {
      summary: 'Delete domains without active links',
      examples: ['shorty domains delete go.example.com'],
      isVersioned: true,
    },
    ({ domains }, request) =>
      (id) =>
        domains.delete(id, request),
  ),
};

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
