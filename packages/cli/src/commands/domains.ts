import type { Domain } from '@shorty/sdk';
import type { CommandRow } from '../command.js';
import { fieldOptions } from '../field-options.js';
import { changeCommand } from './change-command.js';
import { listCommand, requestCommand } from './request-command.js';

export const domainCommands: Readonly<Record<string, CommandRow>> = {
  create: requestCommand<Domain>('createDomain', {
    examples: ['shorty domains create go.example.com'],
    args: { '<hostname>': 'hostname of the links, for example go.example.com' },
    note: ({ hostname, txtRecord: { name, type, value } }) =>
      `\nSet this record in DNS:\n\n  ${name}  ${type}  ${value}\n\nThen run: shorty domains verify ${hostname}`,
  }),
  list: listCommand<Domain>('listDomains', {
    examples: ['shorty domains list --no-active'],
    columns: ['hostname', 'isActive', 'verifiedAt', 'lastError', 'id'],
  }),
  get: requestCommand('getDomain', { examples: ['shorty domains get go.example.com'] }),
  update: requestCommand('updateDomain', {
    examples: ['shorty domains update go.example.com --ignore-case'],
    clears: true,
    options: {
      ...fieldOptions('updateDomain'),
      '--apple-app-site-association <file>': { text: 'JSON file for iOS apps', json: true },
      '--asset-links <file>': { text: 'JSON file for Android apps', json: true },
    },
  }),
  verify: requestCommand<Domain>('verifyDomain', {
    examples: ['shorty domains verify go.example.com'],
    note: ({ hostname }) => `create links on it: shorty urls create <url> --domain-id ${hostname}`,
  }),
  delete: changeCommand('Delete', 'domain', 'deleteDomain', {
    summary: 'Delete domains without active links',
    examples: ['shorty domains delete go.example.com'],
  }),
};
