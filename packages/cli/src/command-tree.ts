import type { LinkSourceName } from '@shorty/import';
import type { DefineCommand } from './command.js';
import { adminCommands, defineAdmin } from './commands/admin.js';

/** What a command does, and its module, which is loaded when the command runs or prints its help. */
export type Leaf = readonly [summary: string, load: () => Promise<{ define: DefineCommand }>];

const sourceTitles: Readonly<Record<LinkSourceName, string>> = {
  bitly: 'Bitly',
  dub: 'Dub',
  kutt: 'Kutt',
  yourls: 'YOURLS',
  shlink: 'Shlink',
  shortio: 'Short.io',
  tinyurl: 'TinyURL',
};

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
export const leaves: Readonly<Record<string, Leaf>> = {
  login: ['Sign in and store the client credentials', () => import('./commands/login.js')],
  logout: ['Remove the credentials of a profile', () => import('./commands/logout.js')],
  whoami: [
    'Show the server and the credentials in use, with their sources',
    () => import('./commands/whoami.js'),
  ],
  shorten: ['Create a short link and print it', () => import('./commands/shorten.js')],
  'config get': ['Print one setting', () => import('./commands/config/get.js')],
  'config set': ['Store a setting', () => import('./commands/config/set.js')],
  'config list': ['Print all settings', () => import('./commands/config/list.js')],
  'config unset': ['Remove a setting', () => import('./commands/config/unset.js')],
  'config path': [
    'Print the path of the configuration file',
    () => import('./commands/config/path.js'),
  ],
  'urls create': ['Create a short link', () => import('./commands/urls/create.js')],
  'urls list': ['List short links, newest first', () => import('./commands/urls/list.js')],
  'urls upsert': [
    'Create a short link with an external id, or change the one that has it',
    () => import('./commands/urls/upsert.js'),
  ],
  'urls get': ['Show a short link', () => import('./commands/urls/get.js')],
  'urls update': [
    'Change, pause or resume a short link',
    () => import('./commands/urls/update.js'),
  ],
  'urls delete': ['Delete short links', () => import('./commands/urls/delete.js')],
  'urls restore': [
    'Make deleted or paused short links active again',
    () => import('./commands/urls/restore.js'),
  ],
  'urls pause': [
    'Pause short links',
    async () => (await import('./commands/urls/set-active.js')).pause,
  ],
  'urls resume': [
    'Resume paused short links',
    async () => (await import('./commands/urls/set-active.js')).resume,
  ],
  'urls rules set': [
    'Set the rules of a link from a JSON file',
    () => import('./commands/urls/rules/set.js'),
  ],
  'urls rules show': ['Show the rules of a link', () => import('./commands/urls/rules/show.js')],
  'urls rules test': [
    'Test where the rules of a link lead a visit',
    () => import('./commands/urls/rules/test.js'),
  ],
  'urls bulk-create': [
    'Create short links from a CSV file of any size',
    () => import('./commands/urls/bulk-create.js'),
  ],
  'urls bulk-update': [
    'Change short links from a CSV file',
    () => import('./commands/urls/bulk-update.js'),
  ],
  'urls bulk-delete': [
    'Delete short links by id or from a file',
    () => import('./commands/urls/bulk-delete.js'),
  ],
  'urls erase-visits': [
    'Erase all visits of short links',
    () => import('./commands/urls/erase-visits.js'),
  ],
  'urls clicks': ['Show the clicks of a short link', () => import('./commands/urls/clicks.js')],
  'urls visits': [
    'Export the visits of people as NDJSON',
    () => import('./commands/urls/visits.js'),
  ],
  'urls export': [
    'Write every short link with all its fields',
    () => import('./commands/urls/export.js'),
  ],
  'tags list': ['List tags with their number of links', () => import('./commands/tags/list.js')],
  'tags rename': [
    'Rename a tag on every link, or merge two tags',
    () => import('./commands/tags/rename.js'),
  ],
  'tags delete': ['Remove tags from every link', () => import('./commands/tags/delete.js')],
  'qr create': ['Create a QR code', () => import('./commands/qr/create.js')],
  'qr list': ['List QR codes, newest first', () => import('./commands/qr/list.js')],
  'qr get': ['Show a QR code', () => import('./commands/qr/get.js')],
  'qr update': ['Change the design of a QR code', () => import('./commands/qr/update.js')],
  'qr delete': ['Delete QR codes', () => import('./commands/qr/delete.js')],
  'qr export': ['Write QR code images to a folder', () => import('./commands/qr/export.js')],
  'qr scans': ['Show the scans of a QR code', () => import('./commands/qr/scans.js')],
  'webhooks create': [
    'Subscribe a receiver to events',
    () => import('./commands/webhooks/create.js'),
  ],
  'webhooks list': ['List webhooks, newest first', () => import('./commands/webhooks/list.js')],
  'webhooks get': ['Show a webhook', () => import('./commands/webhooks/get.js')],
  'webhooks update': [
    'Change, pause or resume a webhook',
    () => import('./commands/webhooks/update.js'),
  ],
  'webhooks delete': [
    'Delete webhooks with their deliveries',
    () => import('./commands/webhooks/delete.js'),
  ],
  'webhooks deliveries': [
    'List deliveries, or show one with its attempts',
    () => import('./commands/webhooks/deliveries.js'),
  ],
  'webhooks stats': [
    'Show success rate, response times and failures',
    () => import('./commands/webhooks/stats.js'),
  ],
  'webhooks replay': ['Deliver one event again', () => import('./commands/webhooks/replay.js')],
  'webhooks recover': [
    'Deliver failed events again',
    () => import('./commands/webhooks/recover.js'),
  ],
  'webhooks event-types': [
    'List event types, or show the fields of one',
    () => import('./commands/webhooks/event-types.js'),
  ],
  'webhooks test': ['Send an example event', () => import('./commands/webhooks/test.js')],
  'webhooks rotate-secret': [
    'Replace the signing secret',
    () => import('./commands/webhooks/rotate-secret.js'),
  ],
  'webhooks listen': [
    'Forward events to a receiver on this machine',
    () => import('./commands/webhooks/listen.js'),
  ],
  'webhooks trigger': [
    'Send an example event to a receiver on this machine',
    () => import('./commands/webhooks/trigger.js'),
  ],
  'webhooks verify': [
    'Check the signature of a delivery',
    () => import('./commands/webhooks/verify.js'),
  ],
  'domains create': [
    'Add a domain and show the TXT record to set',
    () => import('./commands/domains/create.js'),
  ],
  'domains list': ['List domains, newest first', () => import('./commands/domains/list.js')],
  'domains get': ['Show a domain and its TXT record', () => import('./commands/domains/get.js')],
  'domains update': [
    'Change the settings of a domain',
    () => import('./commands/domains/update.js'),
  ],
  'domains verify': [
    'Check the TXT record in DNS and activate the domain',
    () => import('./commands/domains/verify.js'),
  ],
  'domains delete': [
    'Delete domains without active links',
    () => import('./commands/domains/delete.js'),
  ],
  'analytics overview': [
    'Show the clicks of all short links',
    () => import('./commands/analytics/overview.js'),
  ],
  'analytics report': [
    'Create a report on one link or all links: charts, HTML, CSV or JSON',
    () => import('./commands/analytics/report.js'),
  ],
  'analytics tail': ['Print visits as they happen', () => import('./commands/analytics/tail.js')],
  'keys create': [
    'Create an API key for a script or a server',
    () => import('./commands/keys/create.js'),
  ],
  'keys list': ['List API keys, newest first', () => import('./commands/keys/list.js')],
  'keys revoke': ['Revoke API keys', () => import('./commands/keys/revoke.js')],
  'organization get': [
    'Show the settings of the organization',
    () => import('./commands/organization/get.js'),
  ],
  'organization update': [
    'Change which addresses are not counted',
    () => import('./commands/organization/update.js'),
  ],
  ...adminLeaves(),
  'admin audit': [
    'List who changed what in all organizations, newest first',
    async () => (await import('./commands/audit.js')).adminAudit,
  ],
  'import bitly': importLeaf('bitly'),
  'import dub': importLeaf('dub'),
  'import kutt': importLeaf('kutt'),
  'import yourls': importLeaf('yourls'),
  'import shlink': importLeaf('shlink'),
  'import shortio': importLeaf('shortio'),
  'import tinyurl': importLeaf('tinyurl'),
  usage: [
    'Show the usage of a month and the limits of the plan',
    () => import('./commands/usage.js'),
  ],
  audit: [
    'List who changed what, newest first',
    async () => (await import('./commands/audit.js')).audit,
  ],
  api: ['Call any route of the API', () => import('./commands/api.js')],
  browse: [
    'Search links, watch their clicks, pause and share them',
    () => import('./commands/browse.js'),
  ],
  open: ['Open a link in the web browser', () => import('./commands/open.js')],
  mcp: [
    'Give an AI assistant tools for links, QR codes and reports',
    () => import('./commands/mcp.js'),
  ],
  completion: ['Print a completion script for a shell', () => import('./commands/completion.js')],
};

function importLeaf(source: LinkSourceName): Leaf {
  const load = async () => (await import('./commands/import/import-from.js')).importFrom(source);
  return [`Import an export of ${sourceTitles[source]}`, load];
}

function adminLeaves(): Record<string, Leaf> {
  return Object.fromEntries(
    Object.entries(adminCommands).map(([words, row]): [string, Leaf] => [
      `admin ${words}`,
      [row.summary, async () => ({ define: defineAdmin(row) })],
    ]),
  );
}
