import { UsageError } from '../cli-error.js';
import type { CommandRow, Details, OptionRows } from '../command.js';
import { columnsOf } from '../output.js';
import { adminAudit } from './audit.js';
import { splitScopes } from './keys.js';
import { listPages, type PageOptions, pageOptions, type ReadPage } from './list-command.js';

type Input = Readonly<Record<string, string | boolean | undefined>>;

/** A command of the operator: one request, whose response it prints. */
interface AdminRow extends Pick<CommandRow, 'summary' | 'examples' | 'options'> {
  /** The request. The path names arguments: `{id}`. */
  readonly route: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /api/v1/admin/${string}`;
  /** The arguments. Those that are not in the path are fields of the body. */
  readonly args?: Readonly<Record<string, string>>;
  /** Returns the fields of the body, if they are not those of the options. */
  readonly body?: (fields: Input) => Record<string, unknown>;
  /** The columns of a list. */
  readonly columns?: readonly string[];
  /** What to tell after the request. */
  readonly note?: string;
}

const uuid = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
const organization = { '<id>': 'id of the organization' };
const client = { ...organization, '<clientId>': 'id of the client' };
const key = { ...organization, '<keyId>': 'id of the API key' };
const storeSecret = 'store the client secret now, it is shown only once';

const required = (text: string): Details => ({ text, isRequired: true });
const plan = (text: string): Details => ({
  text: `${text}: free, developer, scale, enterprise, or one that the server adds`,
});
const name: OptionRows = { '--name <name>': 'what it is for' };
const expiryOptions: OptionRows = {
  ...name,
  '--expires-at <time>': 'date or time of expiry in ISO 8601',
  '--no-expiry': 'never expire',
};
// Commander sets `expiry` to true without --no-expiry.
const expiryOf = ({ expiry, ...fields }: Input) =>
  expiry === false ? { ...fields, expiresAt: null } : fields;

/** The commands of the operator by their words, but for `audit`. */
const rows: Readonly<Record<string, AdminRow>> = {
  'orgs list': {
    summary: 'List organizations, newest first',
    route: 'GET /api/v1/admin/organizations',
    columns: ['id', 'name', 'plan', 'activeUrls', 'createdAt', 'suspendedAt'],
    examples: ['shorty admin orgs list'],
  },
  'orgs create': {
    summary: 'Create an organization and its first client',
    route: 'POST /api/v1/admin/organizations',
    args: { '<name>': 'name of the organization' },
    options: { '--plan <plan>': { ...plan('its plan'), isRequired: true } },
    note: storeSecret,
    examples: ['shorty admin orgs create "Acme Ltd" --plan scale'],
  },
  'orgs get': {
    summary: 'Show an organization',
    route: 'GET /api/v1/admin/organizations/{id}',
    args: organization,
    examples: [`shorty admin orgs get ${uuid}`],
  },
  'orgs update': {
    summary: 'Rename an organization, or change its plan',
    route: 'PATCH /api/v1/admin/organizations/{id}',
    args: organization,
    options: {
      '--name <name>': 'its new name',
      '--plan <plan>': plan('its new plan, from the next request on'),
    },
    examples: [`shorty admin orgs update ${uuid} --plan scale`],
  },
  'orgs suspend': {
    summary: 'Refuse the API requests of an organization, and stop its links',
    route: 'PATCH /api/v1/admin/organizations/{id}',
    args: organization,
    body: () => ({ isSuspended: true }),
    examples: [`shorty admin orgs suspend ${uuid}`],
  },
  'orgs resume': {
    summary: 'End the suspension of an organization',
    route: 'PATCH /api/v1/admin/organizations/{id}',
    args: organization,
    body: () => ({ isSuspended: false }),
    examples: [`shorty admin orgs resume ${uuid}`],
  },
  'orgs delete': {
    summary: 'Delete an organization and everything that it has',
    route: 'DELETE /api/v1/admin/organizations/{id}',
    args: organization,
    options: { '--confirm <id-or-name>': required('its id or its name again') },
    note: 'the server deletes it in the background',
    examples: [`shorty admin orgs delete ${uuid} \\\n    --confirm "Acme Ltd"`],
  },
  'clients list': {
    summary: 'List the clients of an organization, newest first',
    route: 'GET /api/v1/admin/organizations/{id}/clients',
    args: organization,
    columns: ['id', 'name', 'scopes', 'createdAt', 'expiresAt', 'revokedAt'],
    examples: [`shorty admin clients list ${uuid}`],
  },
  'clients create': {
    summary: 'Create a client of an organization',
    route: 'POST /api/v1/admin/organizations/{id}/clients',
    args: organization,
    options: {
      ...name,
      '--scopes <scopes>':
        'scopes, separated by spaces (default: all but urls:erase and keys:write)',
    },
    body: ({ scopes, ...fields }) => ({
      ...fields,
      ...(typeof scopes === 'string' && { scopes: splitScopes(scopes) }),
    }),
    note: storeSecret,
    examples: [
      `shorty admin clients create ${uuid} \\\n    --name CI --scopes "urls:read urls:write"`,
    ],
  },
  'clients update': {
    summary: 'Change the name or the expiry of a client',
    route: 'PATCH /api/v1/admin/organizations/{id}/clients/{clientId}',
    args: client,
    options: expiryOptions,
    body: expiryOf,
    examples: [
      `shorty admin clients update ${uuid} \\\n    shorty_ci_0f3b --expires-at 2030-12-31`,
    ],
  },
  'clients revoke': {
    summary: 'Revoke a client and its access tokens',
    route: 'DELETE /api/v1/admin/organizations/{id}/clients/{clientId}',
    args: client,
    examples: [`shorty admin clients revoke ${uuid} \\\n    shorty_ci_0f3b`],
  },
  'keys list': {
    summary: 'List the API keys of an organization, newest first',
    route: 'GET /api/v1/admin/organizations/{id}/api-keys',
    args: organization,
    columns: ['id', 'name', 'start', 'scopes', 'createdBy', 'lastUsedAt', 'expiresAt'],
    examples: [`shorty admin keys list ${uuid}`],
  },
  'keys update': {
    summary: 'Change the name or the expiry of an API key',
    route: 'PATCH /api/v1/admin/organizations/{id}/api-keys/{keyId}',
    args: key,
    options: expiryOptions,
    body: expiryOf,
    examples: [`shorty admin keys update ${uuid} \\\n    ${uuid} --no-expiry`],
  },
  'keys revoke': {
    summary: 'Revoke an API key of an organization',
    route: 'DELETE /api/v1/admin/organizations/{id}/api-keys/{keyId}',
    args: key,
    examples: [`shorty admin keys revoke ${uuid} \\\n    ${uuid}`],
  },
  'takedowns create': {
    summary: 'Take down a link, which then answers 451',
    route: 'POST /api/v1/admin/takedowns',
    args: { '<shortUrl>': 'short URL of the link, of any organization' },
    options: { '--reason <text>': required('why; the owner of the link sees it') },
    examples: ['shorty admin takedowns create https://sho.example/aB3xY9q --reason phishing'],
  },
  'takedowns list': {
    summary: 'List the links that are taken down',
    route: 'GET /api/v1/admin/takedowns',
    columns: ['id', 'shortUrl', 'reason', 'createdAt', 'organizationId', 'targetUrl'],
    examples: ['shorty admin takedowns list'],
  },
  'takedowns undo': {
    summary: 'Undo the takedown of a link',
    route: 'DELETE /api/v1/admin/takedowns/{id}',
    args: { '<id>': 'id of the link' },
    examples: ['shorty admin takedowns undo 42'],
  },
  'hosts block': {
    summary: 'Block a host as the target of links',
    route: 'POST /api/v1/admin/blocked-hosts',
    args: { '<host>': 'host name, with its subdomains, or IP address' },
    options: { '--reason <text>': required('why, for other operators') },
    examples: ['shorty admin hosts block evil.example --reason phishing'],
  },
  'hosts list': {
    summary: 'List blocked hosts, newest first',
    route: 'GET /api/v1/admin/blocked-hosts',
    columns: ['host', 'reason', 'createdAt'],
    examples: ['shorty admin hosts list'],
  },
  'hosts unblock': {
    summary: 'Unblock a host',
    route: 'DELETE /api/v1/admin/blocked-hosts/{host}',
    args: { '<host>': 'the blocked host' },
    examples: ['shorty admin hosts unblock evil.example'],
  },
};

export const adminCommands: Readonly<Record<string, CommandRow>> = {
  ...Object.fromEntries(Object.entries(rows).map(([words, row]) => [words, toCommand(row)])),
  audit: adminAudit,
};

function toCommand({
  route,
  body = (fields) => fields,
  columns,
  note,
  ...row
}: AdminRow): CommandRow {
  const [method, path] = route.split(' ') as ['GET', `/${string}`];
  const options = { ...row.options, ...(columns && pageOptions('item')) };
  return {
    ...row,
    options,
    ...(method !== ('GET' as string) && { prints: [route] }),
    run: async (context, input: Input & PageOptions) => {
      const isInPath = ([argument]: readonly [string, unknown]) => path.includes(`{${argument}}`);
      const given = Object.entries(input);
      const params = Object.fromEntries(given.filter(isInPath)) as Record<string, string>;
      const fields = body(Object.fromEntries(given.filter((each) => !isInPath(each))) as Input);
      if (method === ('PATCH' as string) && Object.keys(fields).length === 0) {
        const flags = Object.keys(options).map((each) => each.split(' ')[0]);
        throw new UsageError('nothing to change', `use ${flags.join(' or ')}`);
      }
      const { output, request } = context;
      const operator = await context.operator();
      const send = (sent: object) =>
        operator.request(method, path, { params, ...sent }, request) as PromiseLike<unknown>;
      if (columns) {
        const read = ((query) => send({ query })) as ReadPage<object>;
        return listPages(context, input, columnsOf<object>(...(columns as never[])), read);
      }
      await output.record((await send(method === 'GET' ? {} : { body: fields })) as object);
      if (note) output.note(note);
      return undefined;
    },
  };
}
