import { type Command, Option } from 'commander';
import { UsageError } from '../cli-error.js';
import type { DefineCommand } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import type { Column } from '../output.js';
import { addPageOptions, listPages, type PageOptions, type ReadPage } from './page-options.js';

type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** A command of the operator: one request, whose response it prints. */
export interface AdminCommand {
  readonly summary: string;
  /** The request. The path names the arguments: `{id}`. */
  readonly route: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /api/v1/admin/${string}`;
  /** The arguments with their descriptions. Those that are not in the path are fields of the body. */
  readonly args?: Readonly<Record<string, string>>;
  readonly options?: () => readonly Option[];
  /** Returns the fields of the body that the options set. */
  readonly body?: (flags: Flags) => Record<string, unknown>;
  /** The columns of a list. */
  readonly columns?: readonly string[];
  /** What to tell after the request. */
  readonly note?: string;
  readonly example: string;
}

const uuid = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
const organization = { id: 'id of the organization' };
const client = { ...organization, clientId: 'id of the client' };
const key = { ...organization, keyId: 'id of the API key' };
const storeSecret = 'store the client secret now, it is shown only once';

const plan = (purpose: string) =>
  new Option('--plan <plan>', purpose).choices(['free', 'developer', 'scale', 'enterprise']);
const name = new Option('--name <name>', 'what it is for');
const reason = (purpose: string) => new Option('--reason <text>', purpose).makeOptionMandatory();
const expiry = () => [
  name,
  new Option('--expires-at <time>', 'date or time of expiry in ISO 8601'),
  new Option('--no-expiry', 'never expire').default(undefined),
];
const expiryOf = ({ expiry, ...fields }: Flags) =>
  expiry === false ? { ...fields, expiresAt: null } : fields;

/** The commands of the operator by their words, but for `audit`. */
export const adminCommands: Readonly<Record<string, AdminCommand>> = {
  'orgs list': {
    summary: 'List organizations, newest first',
    route: 'GET /api/v1/admin/organizations',
    columns: ['id', 'name', 'plan', 'activeUrls', 'createdAt', 'suspendedAt'],
    example: 'shorty admin orgs list',
  },
  'orgs create': {
    summary: 'Create an organization and its first client',
    route: 'POST /api/v1/admin/organizations',
    args: { name: 'name of the organization' },
    options: () => [plan('its plan').makeOptionMandatory()],
    note: storeSecret,
    example: 'shorty admin orgs create "Acme Ltd" --plan scale',
  },
  'orgs get': {
    summary: 'Show an organization',
    route: 'GET /api/v1/admin/organizations/{id}',
    args: organization,
    example: `shorty admin orgs get ${uuid}`,
  },
  'orgs update': {
    summary: 'Rename an organization, or change its plan',
    route: 'PATCH /api/v1/admin/organizations/{id}',
    args: organization,
    options: () => [
      new Option('--name <name>', 'its new name'),
      plan('its new plan, from the next request on'),
    ],
    example: `shorty admin orgs update ${uuid} --plan scale`,
  },
  'orgs suspend': {
    summary: 'Refuse the API requests of an organization, and stop its links',
    route: 'PATCH /api/v1/admin/organizations/{id}',
    args: organization,
    body: () => ({ isSuspended: true }),
    example: `shorty admin orgs suspend ${uuid}`,
  },
  'orgs resume': {
    summary: 'End the suspension of an organization',
    route: 'PATCH /api/v1/admin/organizations/{id}',
    args: organization,
    body: () => ({ isSuspended: false }),
    example: `shorty admin orgs resume ${uuid}`,
  },
  'orgs delete': {
    summary: 'Delete an organization and everything that it has',
    route: 'DELETE /api/v1/admin/organizations/{id}',
    args: organization,
    options: () => [
      new Option('--confirm <id-or-name>', 'its id or its name again').makeOptionMandatory(),
    ],
    note: 'the server deletes it in the background',
    example: `shorty admin orgs delete ${uuid} \\\n    --confirm "Acme Ltd"`,
  },
  'clients list': {
    summary: 'List the clients of an organization, newest first',
    route: 'GET /api/v1/admin/organizations/{id}/clients',
    args: organization,
    columns: ['id', 'name', 'scopes', 'createdAt', 'expiresAt', 'revokedAt'],
    example: `shorty admin clients list ${uuid}`,
  },
  'clients create': {
    summary: 'Create a client of an organization',
    route: 'POST /api/v1/admin/organizations/{id}/clients',
    args: organization,
    options: () => [
      name,
      new Option(
        '--scopes <scopes>',
        'scopes, separated by spaces (default: all but urls:erase and keys:write)',
      ),
    ],
    // The server knows the scopes, and names a wrong one.
    body: ({ scopes, ...fields }) => ({
      ...fields,
      ...(typeof scopes === 'string' && { scopes: scopes.split(/[\s,]+/).filter(Boolean) }),
    }),
    note: storeSecret,
    example: `shorty admin clients create ${uuid} \\\n    --name CI --scopes "urls:read urls:write"`,
  },
  'clients update': {
    summary: 'Change the name or the expiry of a client',
    route: 'PATCH /api/v1/admin/organizations/{id}/clients/{clientId}',
    args: client,
    options: expiry,
    body: expiryOf,
    example: `shorty admin clients update ${uuid} \\\n    shorty_ci_0f3b --expires-at 2030-12-31`,
  },
  'clients revoke': {
    summary: 'Revoke a client and its access tokens',
    route: 'DELETE /api/v1/admin/organizations/{id}/clients/{clientId}',
    args: client,
    example: `shorty admin clients revoke ${uuid} \\\n    shorty_ci_0f3b`,
  },
  'keys list': {
    summary: 'List the API keys of an organization, newest first',
    route: 'GET /api/v1/admin/organizations/{id}/api-keys',
    args: organization,
    columns: ['id', 'name', 'start', 'scopes', 'createdBy', 'lastUsedAt', 'expiresAt'],
    example: `shorty admin keys list ${uuid}`,
  },
  'keys update': {
    summary: 'Change the name or the expiry of an API key',
    route: 'PATCH /api/v1/admin/organizations/{id}/api-keys/{keyId}',
    args: key,
    options: expiry,
    body: expiryOf,
    example: `shorty admin keys update ${uuid} \\\n    ${uuid} --no-expiry`,
  },
  'keys revoke': {
    summary: 'Revoke an API key of an organization',
    route: 'DELETE /api/v1/admin/organizations/{id}/api-keys/{keyId}',
    args: key,
    example: `shorty admin keys revoke ${uuid} \\\n    ${uuid}`,
  },
  'takedowns create': {
    summary: 'Take down a link, which then answers 451',
    route: 'POST /api/v1/admin/takedowns',
    args: { shortUrl: 'short URL of the link, of any organization' },
    options: () => [reason('why; the owner of the link sees it')],
    example: 'shorty admin takedowns create https://sho.example/aB3xY9q --reason phishing',
  },
  'takedowns list': {
    summary: 'List the links that are taken down',
    route: 'GET /api/v1/admin/takedowns',
    columns: ['id', 'shortUrl', 'reason', 'createdAt', 'organizationId', 'targetUrl'],
    example: 'shorty admin takedowns list',
  },
  'takedowns undo': {
    summary: 'Undo the takedown of a link',
    route: 'DELETE /api/v1/admin/takedowns/{id}',
    args: { id: 'id of the link' },
    example: 'shorty admin takedowns undo 42',
  },
  'hosts block': {
    summary: 'Block a host as the target of links',
    route: 'POST /api/v1/admin/blocked-hosts',
    args: { host: 'host name, with its subdomains, or IP address' },
    options: () => [reason('why, for other operators')],
    example: 'shorty admin hosts block evil.example --reason phishing',
  },
  'hosts list': {
    summary: 'List blocked hosts, newest first',
    route: 'GET /api/v1/admin/blocked-hosts',
    columns: ['host', 'reason', 'createdAt'],
    example: 'shorty admin hosts list',
  },
  'hosts unblock': {
    summary: 'Unblock a host',
    route: 'DELETE /api/v1/admin/blocked-hosts/{host}',
    args: { host: 'the blocked host' },
    example: 'shorty admin hosts unblock evil.example',
  },
};

/** Returns the definition of a command of the table. */
export function defineAdmin(row: AdminCommand): DefineCommand {
  const { args = {}, columns, route } = row;
  const [method, template] = route.split(' ') as ['GET', `/${string}`];
  return (command, start) => {
    for (const [arg, description] of Object.entries(args))
      command.argument(`<${arg}>`, description);
    for (const option of row.options?.() ?? []) command.addOption(option);
    if (columns) addPageOptions(command, 'item');
    command.action((...values: unknown[]) => {
      const flags = (values.at(Object.keys(args).length) ?? {}) as Flags & PageOptions;
      const named = Object.keys(args).map((arg, index) => [arg, String(values[index])] as const);
      const isInPath = ([arg]: readonly [string, string]) => template.includes(`{${arg}}`);
      const params = Object.fromEntries(named.filter(isInPath));
      const fields = named.filter((each) => !isInPath(each));
      const body = { ...Object.fromEntries(fields), ...(row.body?.(flags) ?? flags) };
      if (method === ('PATCH' as string) && Object.keys(body).length === 0) {
        throw new UsageError('nothing to change', `use ${optionsOf(command)}`);
      }
      return start(async (context) => {
        const client = await context.operator();
        const request = { signal: context.io.interrupt };
        const send = (input: object) =>
          client.request(
            method,
            template,
            { params, ...input },
            request,
          ) as PromiseLike<unknown> as PromiseLike<never>;
        if (columns) {
          const read: ReadPage<object> = (query) => send({ query });
          await listPages(context, flags, columns.map(toColumn), read);
        } else {
          await context.output.record(await send(method === 'GET' ? {} : { body }));
          if (row.note) context.output.note(row.note);
        }
        return exitCodes.done;
      });
    });
  };
}

function optionsOf(command: Command): string {
  return command.options.map(({ long }) => long).join(' or ');
}

function toColumn(column: string): Column<object> {
  const isWhole = ['id', 'host', 'shortUrl', 'start'].includes(column);
  return { name: column, value: (item) => item[column as keyof typeof item], isWhole };
}
