import type { Domain } from '@shorty/sdk';
import { type CommandRow, repeatable } from '../command.js';
import { ifMatchOption } from '../etag.js';
import { bodyOf, clearFields, fieldOptions, queryOptions } from '../field-options.js';
import { readJson } from '../read-input.js';
import { naming } from '../records.js';
import { changeCommand } from './change-command.js';
import { listCommand, requestCommand } from './request-command.js';

const domain = { '<domain>': naming('domain') };
const clearable = ['rootUrl', 'notFoundUrl', 'expiredUrl', 'appleAppSiteAssociation', 'assetLinks'];

interface UpdateOptions {
  readonly appleAppSiteAssociation?: string;
  readonly assetLinks?: string;
  readonly clear?: readonly string[];
}

export const domainCommands: Readonly<Record<string, CommandRow>> = {
  create: requestCommand<Domain>({
    summary: 'Add a domain and show the TXT record to set',
    examples: ['shorty domains create go.example.com'],
    route: 'POST /api/v1/domains',
    args: { '<hostname>': 'hostname of the links, for example go.example.com' },
    note: ({ hostname, txtRecord: { name, type, value } }) =>
      `\nSet this record in DNS:\n\n  ${name}  ${type}  ${value}\n\nThen run: shorty domains verify ${hostname}`,
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
      ...queryOptions('listDomains', ['isActive']),
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
  verify: requestCommand<Domain>({
    summary: 'Check the TXT record in DNS and activate the domain',
    examples: ['shorty domains verify go.example.com'],
    route: 'POST /api/v1/domains/{id}/verify',
    args: domain,
    note: ({ hostname }) => `create links on it: shorty urls create <url> --domain-id ${hostname}`,
  }),
  delete: changeCommand('Delete', 'domain', 'DELETE /api/v1/domains/{id}', {
    summary: 'Delete domains without active links',
    examples: ['shorty domains delete go.example.com'],
    isVersioned: true,
  }),
};
