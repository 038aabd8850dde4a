import type { ApiKey, BlockedHost, Client, Organization, Takedown } from '@shorty/sdk';
import type { CommandRow } from '../command.js';
import { fieldOptions } from '../field-options.js';
import { scopesOption } from './keys.js';
import { adminAudit } from './organization.js';
import { listCommand, requestCommand } from './request-command.js';

const uuid = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
const storeSecret = 'store the client secret now, it is shown only once';

export const adminCommands: Readonly<Record<string, CommandRow>> = {
  'orgs list': listCommand<Organization>('listOrganizations', {
    examples: ['shorty admin orgs list'],
    columns: ['id', 'name', 'plan', 'activeUrls', 'createdAt', 'suspendedAt'],
  }),
  'orgs create': requestCommand('createOrganization', {
    examples: ['shorty admin orgs create "Acme Ltd" --plan scale'],
    args: { '<name>': 'name of the organization' },
    note: storeSecret,
  }),
  'orgs get': requestCommand('getOrganization', { examples: ['shorty admin orgs get "Acme Ltd"'] }),
  'orgs update': requestCommand('updateOrganization', {
    summary: 'Rename an organization, or change its plan',
    examples: ['shorty admin orgs update "Acme Ltd" --name Acme --plan enterprise'],
    options: fieldOptions('updateOrganization', ['isSuspended']),
  }),
  'orgs suspend': requestCommand('updateOrganization', {
    summary: 'Refuse the API requests of an organization, and stop its links',
    examples: ['shorty admin orgs suspend Acme'],
    options: {},
    fields: () => ({ isSuspended: true }),
    done: 'suspended',
  }),
  'orgs resume': requestCommand('updateOrganization', {
    summary: 'End the suspension of an organization',
    examples: ['shorty admin orgs resume Acme'],
    options: {},
    fields: () => ({ isSuspended: false }),
    done: 'resumed',
  }),
  'orgs delete': requestCommand('deleteOrganization', {
    examples: [`shorty admin orgs delete ${uuid} \\\n    --confirm "Acme Ltd"`],
    done: 'deleted; the server deletes its records in the background',
  }),
  'clients list': listCommand<Client>('listClients', {
    examples: ['shorty admin clients list Acme'],
    columns: ['id', 'name', 'scopes', 'createdAt', 'revokedAt'],
  }),
  'clients create': requestCommand('createClient', {
    examples: ['shorty admin clients create Acme --name CI --scopes "urls:read urls:write"'],
    options: {
      ...fieldOptions('createClient'),
      '--scopes <scopes>': scopesOption('all but urls:erase and keys:write'),
    },
    note: storeSecret,
  }),
  'clients revoke': requestCommand('revokeClient', {
    examples: ['shorty admin clients revoke Acme CI'],
    done: 'revoked',
  }),
  'keys list': listCommand<ApiKey>('listOrganizationApiKeys', {
    examples: ['shorty admin keys list Acme'],
    columns: ['id', 'name', 'start', 'scopes', 'createdBy', 'lastUsedAt', 'expiresAt'],
  }),
  'keys revoke': requestCommand('deleteOrganizationApiKey', {
    examples: ['shorty admin keys revoke Acme "deploy script"'],
    done: 'revoked',
  }),
  'takedowns create': requestCommand('takeDownUrl', {
    examples: ['shorty admin takedowns create https://sho.example/aB3xY9q --reason phishing'],
    args: { '<shortUrl>': 'short URL of the link, which then answers 451' },
  }),
  'takedowns list': listCommand<Takedown>('listTakedowns', {
    examples: ['shorty admin takedowns list'],
    columns: ['id', 'shortUrl', 'reason', 'createdAt', 'organizationId', 'targetUrl'],
  }),
  'takedowns undo': requestCommand('undoTakedown', {
    examples: ['shorty admin takedowns undo https://sho.example/aB3xY9q'],
    done: 'is no longer taken down',
  }),
  'hosts block': requestCommand('blockHost', {
    examples: ['shorty admin hosts block evil.example --reason phishing'],
    args: { '<host>': 'host name, with its subdomains, or IP address' },
  }),
  'hosts list': listCommand<BlockedHost>('listBlockedHosts', {
    examples: ['shorty admin hosts list'],
    columns: ['host', 'reason', 'createdAt'],
  }),
  'hosts unblock': requestCommand('unblockHost', {
    examples: ['shorty admin hosts unblock evil.example'],
    args: { '<host>': 'the blocked host' },
    done: 'unblocked',
  }),
  audit: adminAudit,
};
