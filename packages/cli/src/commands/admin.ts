import type { ApiKey, BlockedHost, Client, Organization, Takedown } from '@shorty/sdk';
import { timeZoneOption } from '../analytics/parse-time.js';
import type { CommandRow, Details, OptionRows } from '../command.js';
import { naming } from '../records.js';
import { expiresAtOption, scopesOption } from './keys.js';
import { adminAudit } from './organization.js';
import { listCommand, requestCommand } from './request-command.js';

const organization = { '<organization>': naming('organization') };
const client = { ...organization, '<client>': naming('client') };
const key = { ...organization, '<key>': naming('organizationKey') };
const uuid = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
const storeSecret = 'store the client secret now, it is shown only once';

const required = (text: string): Details => ({ text, isRequired: true });
const plans = 'free, developer, scale, enterprise, or one that the server adds';
const name: OptionRows = { '--name <name>': 'what it is for' };
const expiryOptions: OptionRows = {
  ...name,
  '--expires-at <time>': expiresAtOption,
  ...timeZoneOption,
  '--no-expiry': 'never expire',
};
// Commander sets `expiry` to true without --no-expiry.
const readExpiry = ({ expiry, timeZone: _, ...fields }: { expiry?: boolean; timeZone?: string }) =>
  expiry === false ? { ...fields, expiresAt: null } : fields;

export const adminCommands: Readonly<Record<string, CommandRow>> = {
  'orgs list': listCommand<Organization>({
    summary: 'List organizations, newest first',
    examples: ['shorty admin orgs list'],
    route: 'GET /api/v1/admin/organizations',
    item: 'organization',
    columns: ['id', 'name', 'plan', 'activeUrls', 'createdAt', 'suspendedAt'],
  }),
  'orgs create': requestCommand({
    summary: 'Create an organization and its first client',
    examples: ['shorty admin orgs create "Acme Ltd" --plan scale'],
    route: 'POST /api/v1/admin/organizations',
    args: { '<name>': 'name of the organization' },
    options: { '--plan <plan>': required(`its plan: ${plans}`) },
    note: storeSecret,
  }),
  'orgs get': requestCommand({
    summary: 'Show an organization',
    examples: ['shorty admin orgs get "Acme Ltd"'],
    route: 'GET /api/v1/admin/organizations/{id}',
    args: organization,
  }),
  'orgs update': requestCommand({
    summary: 'Rename an organization, or change its plan',
    examples: ['shorty admin orgs update "Acme Ltd" --name Acme --plan enterprise'],
    route: 'PATCH /api/v1/admin/organizations/{id}',
    args: organization,
    options: {
      '--name <name>': 'its new name',
      '--plan <plan>': `its new plan, from the next request on: ${plans}`,
    },
  }),
  'orgs suspend': requestCommand({
    summary: 'Refuse the API requests of an organization, and stop its links',
    examples: ['shorty admin orgs suspend Acme'],
    route: 'PATCH /api/v1/admin/organizations/{id}',
    args: organization,
    fields: () => ({ isSuspended: true }),
    done: 'suspended',
  }),
  'orgs resume': requestCommand({
    summary: 'End the suspension of an organization',
    examples: ['shorty admin orgs resume Acme'],
    route: 'PATCH /api/v1/admin/organizations/{id}',
    args: organization,
    fields: () => ({ isSuspended: false }),
    done: 'resumed',
  }),
  'orgs delete': requestCommand({
    summary: 'Delete an organization and everything that it has',
    examples: [`shorty admin orgs delete ${uuid} \\\n    --confirm "Acme Ltd"`],
    route: 'DELETE /api/v1/admin/organizations/{id}',
    args: organization,
    options: { '--confirm <id-or-name>': required('its id or its name again') },
    done: 'deleted; the server deletes its records in the background',
  }),
  'clients list': listCommand<Client>({
    summary: 'List the clients of an organization, newest first',
    examples: ['shorty admin clients list Acme'],
    route: 'GET /api/v1/admin/organizations/{id}/clients',
    args: organization,
    item: 'client',
    columns: ['id', 'name', 'scopes', 'createdAt', 'expiresAt', 'revokedAt'],
  }),
  'clients create': requestCommand({
    summary: 'Create a client of an organization',
    examples: ['shorty admin clients create Acme --name CI --scopes "urls:read urls:write"'],
    route: 'POST /api/v1/admin/organizations/{id}/clients',
    args: organization,
    options: { ...name, '--scopes <scopes>': scopesOption('all but urls:erase and keys:write') },
    note: storeSecret,
  }),
  'clients update': requestCommand({
    summary: 'Change the name or the expiry of a client',
    examples: ['shorty admin clients update Acme CI --expires-at 2030-12-31'],
    route: 'PATCH /api/v1/admin/organizations/{id}/clients/{clientId}',
    args: client,
    options: expiryOptions,
    fields: readExpiry,
  }),
  'clients revoke': requestCommand({
    summary: 'Revoke a client and its access tokens',
    examples: ['shorty admin clients revoke Acme CI'],
    route: 'DELETE /api/v1/admin/organizations/{id}/clients/{clientId}',
    args: client,
    done: 'revoked',
  }),
  'keys list': listCommand<ApiKey>({
    summary: 'List the API keys of an organization, newest first',
    examples: ['shorty admin keys list Acme'],
    route: 'GET /api/v1/admin/organizations/{id}/api-keys',
    args: organization,
    item: 'key',
    columns: ['id', 'name', 'start', 'scopes', 'createdBy', 'lastUsedAt', 'expiresAt'],
  }),
  'keys update': requestCommand({
    summary: 'Change the name or the expiry of an API key',
    examples: ['shorty admin keys update Acme "deploy script" --no-expiry'],
    route: 'PATCH /api/v1/admin/organizations/{id}/api-keys/{keyId}',
    args: key,
    options: expiryOptions,
    fields: readExpiry,
  }),
  'keys revoke': requestCommand({
    summary: 'Revoke an API key of an organization',
    examples: ['shorty admin keys revoke Acme "deploy script"'],
    route: 'DELETE /api/v1/admin/organizations/{id}/api-keys/{keyId}',
    args: key,
    done: 'revoked',
  }),
  'takedowns create': requestCommand({
    summary: 'Take down a link, which then answers 451',
    examples: ['shorty admin takedowns create https://sho.example/aB3xY9q --reason phishing'],
    route: 'POST /api/v1/admin/takedowns',
    args: { '<shortUrl>': 'short URL of the link, of any organization' },
    options: { '--reason <text>': required('why; the owner of the link sees it') },
  }),
  'takedowns list': listCommand<Takedown>({
    summary: 'List the links that are taken down',
    examples: ['shorty admin takedowns list'],
    route: 'GET /api/v1/admin/takedowns',
    item: 'link',
    columns: ['id', 'shortUrl', 'reason', 'createdAt', 'organizationId', 'targetUrl'],
  }),
  'takedowns undo': requestCommand({
    summary: 'Undo the takedown of a link',
    examples: ['shorty admin takedowns undo https://sho.example/aB3xY9q'],
    route: 'DELETE /api/v1/admin/takedowns/{id}',
    args: { '<link>': naming('takedown') },
    done: 'is no longer taken down',
  }),
  'hosts block': requestCommand({
    summary: 'Block a host as the target of links',
    examples: ['shorty admin hosts block evil.example --reason phishing'],
    route: 'POST /api/v1/admin/blocked-hosts',
    args: { '<host>': 'host name, with its subdomains, or IP address' },
    options: { '--reason <text>': required('why, for other operators') },
  }),
  'hosts list': listCommand<BlockedHost>({
    summary: 'List blocked hosts, newest first',
    examples: ['shorty admin hosts list'],
    route: 'GET /api/v1/admin/blocked-hosts',
    item: 'host',
    columns: ['host', 'reason', 'createdAt'],
  }),
  'hosts unblock': requestCommand({
    summary: 'Unblock a host',
    examples: ['shorty admin hosts unblock evil.example'],
    route: 'DELETE /api/v1/admin/blocked-hosts/{host}',
    args: { '<host>': 'the blocked host' },
    done: 'unblocked',
  }),
  audit: adminAudit,
};
