import type { CommandRow } from './command.js';
import { adminCommands } from './commands/admin.js';
import { analyticsCommands } from './commands/analytics.js';
import { api } from './commands/api.js';
import { browse } from './commands/browse.js';
import { completion } from './commands/completion.js';
import { configCommands } from './commands/config.js';
import { domainCommands } from './commands/domains.js';
import { importCommands } from './commands/import.js';
import { keyCommands } from './commands/keys.js';
import { login, logout } from './commands/login.js';
import { mcp } from './commands/mcp.js';
import { open } from './commands/open.js';
import { audit, organizationCommands, usage } from './commands/organization.js';
import { qrCommands } from './commands/qr.js';
import { shorten } from './commands/shorten.js';
import { tagCommands } from './commands/tags.js';
import { urlCommands } from './commands/urls.js';
import { webhookCommands } from './commands/webhooks.js';
import { whoami } from './commands/whoami.js';

/** What groups of commands are for. */
export const groups: Readonly<Record<string, string>> = {
  config: 'Read and change the stored settings',
  urls: 'Create and manage short links',
  'urls rules': 'Lead some visits of a short link to other targets',
  tags: 'List, rename and delete tags of links',
  qr: 'Create and manage QR codes',
  webhooks: 'Manage webhooks, receive and verify deliveries',
  domains: 'Manage custom domains for links',
  analytics: 'Show clicks by time, country, device and referrer',
  keys: 'Manage API keys',
  organization: 'Show and change the settings of the organization',
  admin: 'Administrate all organizations of a server, with the operator key',
  'admin orgs': 'Manage organizations',
  'admin clients': 'Manage the clients of an organization',
  'admin keys': 'Manage the API keys of an organization',
  'admin takedowns': 'Take down links of any organization',
  'admin hosts': 'Block hosts as targets of links',
  import: 'Import the links of another link shortener',
};

/** The commands by their words, in the order of the help. */
export const commands: Readonly<Record<string, CommandRow>> = {
  ...{ login, logout, whoami, shorten },
  ...inGroup('config', configCommands),
  ...inGroup('urls', urlCommands),
  ...inGroup('tags', tagCommands),
  ...inGroup('qr', qrCommands),
  ...inGroup('webhooks', webhookCommands),
  ...inGroup('domains', domainCommands),
  ...inGroup('analytics', analyticsCommands),
  ...inGroup('keys', keyCommands),
  ...inGroup('organization', organizationCommands),
  ...inGroup('admin', adminCommands),
  ...inGroup('import', importCommands),
  ...{ usage, audit, api, browse, open, mcp, completion },
};

function inGroup(group: string, rows: Readonly<Record<string, CommandRow>>) {
  return Object.fromEntries(Object.entries(rows).map(([words, row]) => [`${group} ${words}`, row]));
}
